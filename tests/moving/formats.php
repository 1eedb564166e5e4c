<?php
// The formats that PHP has no function for. password_hash, crypt, md5 and sha1 make all others.
declare(strict_types=1);

/** The digits of base 64 in crypt() and phpass, from 0 to 63. */
const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The longest password that bcrypt reads completely, in bytes. */
const BCRYPT_READS = 72;

function bcrypt(string $password, int $cost = 4): string
{
    return password_hash($password, PASSWORD_BCRYPT, ['cost' => $cost]);
}

/**
 * bcrypt in another spelling: `$2a$` of old shops, `$2b$` of other languages, `$2x$` of PHP's fault before 5.3.7.
 * password_hash writes only `$2y$`.
 */
function spelled(string $password, string $prefix): string
{
    // bcrypt reads 2 bits of the last digit of a salt, and writes the other 4 as zero. `O` is such a digit.
    return crypt($password, '$' . $prefix . '$04$' . random_digits(21) . 'O');
}

/**
 * What a shop has stored for a password with a NUL. bcrypt and crypt() stop at the first NUL. password_hash refuses
 * such a password since PHP 8.2.18 and 8.3.5, so this makes the same hash from the part before the NUL.
 */
function bcrypt_until_nul(string $password): string
{
    return bcrypt(strstr($password, "\0", true));
}

/** Symfony's NativePasswordHasher: it hashes with SHA-512 first if bcrypt would read only a part of the password. */
function symfony(string $password, int $cost): string
{
    return bcrypt(symfony_prepares($password), $cost);
}

function symfony_prepares(string $password): string
{
    $complete = strlen($password) <= BCRYPT_READS && !str_contains($password, "\0");
    return $complete ? $password : base64_encode(hash('sha512', $password, true));
}

/** WordPress 6.8 and newer. It trims the password here, and again when the user logs in. */
function wordpress(string $password): string
{
    return '$wp' . bcrypt(base64_encode(hash_hmac('sha384', trim($password), 'wp-sha384', true)), 10);
}

/**
 * phpass in its portable form: WordPress before 6.8 (`$P$B`, 2^13 rounds), phpBB (`$H$9`, 2^11 rounds).
 * A setting is the prefix, a digit for the logarithm of the rounds, and eight digits of salt.
 */
function phpass(string $password, string $setting): string
{
    $hash = md5(substr($setting, 4) . $password, true);
    for ($left = 1 << strpos(DIGITS, $setting[3]); $left > 0; $left--) {
        $hash = md5($hash . $password, true);
    }
    return $setting . encode64($hash);
}

/** Three bytes become four digits, and a last single byte becomes two. The lowest bits come first. */
function encode64(string $bytes): string
{
    $digits = '';
    foreach (str_split($bytes, 3) as $group) {
        $number = array_reduce(str_split(strrev($group)), fn (int $high, string $byte) => $high << 8 | ord($byte), 0);
        for ($left = strlen($group); $left >= 0; $left--) {
            $digits .= DIGITS[$number & 63];
            $number >>= 6;
        }
    }
    return $digits;
}

function random_digits(int $length): string
{
    return implode('', array_map(fn () => DIGITS[random_int(0, 63)], range(1, $length)));
}
