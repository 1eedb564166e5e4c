<?php
// The users of the shop, one or more for each format of passwords and for each oddity of the other columns.
declare(strict_types=1);

/**
 * A user. `$with` changes columns, or what the test must know:
 * - `needs`: an option of the import, without which the user is refused or cannot log in. `salt-first` is for
 *   hashes of salt . password, `salt-last` for hashes of password . salt. The users of `without-password` have a hash
 *   that the service does not accept.
 * - `login`: `ok`, `weak` (the old password breaks the service's rule), `none` (there is no password), or `reset`
 *   (the user has to reset by mail).
 * - `also`: another password that PHP accepts for the same hash.
 */
function user(string $format, ?string $password, ?string $hash, array $with = []): array
{
    static $count = 0;
    $count++;
    // The service's own avatars, which the import accepts without a map.
    $avatars = getenv('AVATARS_URL') ?: 'http://localhost:3000/assets/avatars';
    $row = [
        'email' => "$format@shop.example",
        'name' => "Cliente $count",
        'url_image' => $avatars . sprintf('/%02d.jpeg', $count % 10 + 1),
        'accept_news' => $count % 2,
        'password' => $hash,
        'salt' => null,
        'google_sub' => null,
        'email_verified' => $count % 3 > 0 ? 1 : 0,
        'created_at' => gmdate('Y-m-d H:i:s', gmmktime(9, 30, $count, 1, $count, 2019)),
    ];
    return [
        'format' => $format,
        'password' => $password,
        'needs' => $with['needs'] ?? null,
        'login' => $with['login'] ?? ($hash === null ? 'none' : 'ok'),
        'also' => $with['also'] ?? null,
        'row' => array_intersect_key($with, $row) + $row,
    ];
}

/** A password of its own for each user, so that a mixed-up row shows. It meets the service's rule. */
function old_password(): string
{
    static $count = 0;
    return sprintf('Antigua-%03d', ++$count);
}

/** A user with a usual password: `$hash` makes the stored hash from it. */
function usual(string $format, callable $hash, array $with = []): array
{
    $password = old_password();
    return user($format, $password, $hash($password), $with);
}

function people(): Generator
{
    yield from bcrypts();
    yield from passwords_that_bcrypt_cuts();
    yield from argons();
    yield from other_formats();
    yield from digests();
    yield from unusual_passwords();
    yield from unusual_columns();
    yield from refused_hashes();
}

function bcrypts(): Generator
{
    foreach ([4, 10, 12, 13] as $cost) {
        yield usual("bcrypt-$cost", fn ($password) => bcrypt($password, $cost));
    }
    yield usual('bcrypt-2a', fn ($password) => spelled($password, '2a'));
    yield usual('bcrypt-2b', fn ($password) => spelled($password, '2b'));
    yield user('bcrypt-2a-utf8', 'Ñandú-2a-€9', spelled('Ñandú-2a-€9', '2a'));
    yield usual('symfony-short', fn ($password) => symfony($password, 13));
}

function passwords_that_bcrypt_cuts(): Generator
{
    $long = 'Larga-1-' . str_repeat('abcdefgh', 12);
    foreach ([71, 72] as $length) {
        yield user("bcrypt-$length-bytes", substr($long, 0, $length), bcrypt(substr($long, 0, $length)));
    }
    yield user('bcrypt-73-bytes', substr($long, 0, 73), bcrypt(substr($long, 0, 73)), ['also' => substr($long, 0, 72)]);
    yield user('bcrypt-long', "$long-fin", bcrypt("$long-fin"), ['also' => "$long-otro"]);
    // The 72nd byte is the first of the two bytes of ñ. The other password shares this byte.
    $split = substr($long, 0, 71);
    yield user('bcrypt-72-splits-utf8', "{$split}ñandú", bcrypt("{$split}ñandú"), ['also' => "{$split}ó"]);
    yield user('bcrypt-nul', "Nulo-123\0resto", bcrypt_until_nul("Nulo-123\0resto"), ['also' => 'Nulo-123']);
    yield user('sha256-crypt-nul', "Nulo-456\0resto", crypt("Nulo-456\0resto", '$5$' . random_digits(16) . '$'),
        ['also' => 'Nulo-456']);

    $symfony = ['needs' => 'symfony'];
    $shortest = substr($long, 8, 71) . 'Z9';
    yield user('symfony-73-bytes', $shortest, symfony($shortest, 4), $symfony);
    yield user('symfony-long', "Symfony-2-$long", symfony("Symfony-2-$long", 13), $symfony);
    $utf8 = 'Ñandú-7-' . str_repeat('ñ', 40);
    yield user('symfony-long-utf8', $utf8, symfony($utf8, 4), $symfony);
    yield user('symfony-nul', "Symfony-3\0resto", symfony("Symfony-3\0resto", 4), $symfony);
}

function argons(): Generator
{
    $options = [
        'default' => [],
        'small' => ['memory_cost' => 8192, 'time_cost' => 2],
        'smallest' => ['memory_cost' => 8, 'time_cost' => 1],
    ];
    foreach ($options as $name => $chosen) {
        yield usual("argon2i-$name", fn ($password) => password_hash($password, PASSWORD_ARGON2I, $chosen));
        yield usual("argon2id-$name", fn ($password) => password_hash($password, PASSWORD_ARGON2ID, $chosen));
    }
    $small = $options['small'];
    $threads = ['threads' => 2] + $small;
    yield usual('argon2id-two-threads', fn ($password) => password_hash($password, PASSWORD_ARGON2ID, $threads));
    $long = 'Argon-9-' . str_repeat('ñ', 100);
    yield user('argon2id-long', $long, password_hash($long, PASSWORD_ARGON2ID, $small));
    // Unlike bcrypt, Argon2 reads a NUL as any other byte.
    yield user('argon2id-nul', "Argon-8\0resto", password_hash("Argon-8\0resto", PASSWORD_ARGON2ID, $small));
}

function other_formats(): Generator
{
    foreach (['sha256' => '$5$', 'sha512' => '$6$'] as $name => $prefix) {
        yield usual("$name-crypt", fn ($password) => crypt($password, $prefix . random_digits(16) . '$'));
        yield usual("$name-crypt-rounds", fn ($password) => crypt($password, $prefix . 'rounds=12345$' . random_digits(8) . '$'));
        yield usual("$name-crypt-5000", fn ($password) => crypt($password, $prefix . 'rounds=5000$' . random_digits(16) . '$'));
    }
    yield usual('phpass-p', fn ($password) => phpass($password, '$P$B' . random_digits(8)));
    yield usual('phpass-h', fn ($password) => phpass($password, '$H$9' . random_digits(8)));
    yield usual('wordpress', wordpress(...));
    yield user('wordpress-long', 'Wordpress-1-' . str_repeat('ñ', 60), wordpress('Wordpress-1-' . str_repeat('ñ', 60)));
    // WordPress trims what the user types.
    yield user('wordpress-spaces', '  Espacios-77 ', wordpress('  Espacios-77 '), ['also' => 'Espacios-77']);
    yield user('phpass-p-spaces', ' Espacios-78 ', phpass('Espacios-78', '$P$B' . random_digits(8)), ['also' => 'Espacios-78']);
}

function digests(): Generator
{
    foreach (['md5', 'sha1'] as $digest) {
        yield usual($digest, $digest(...));
        yield usual("$digest-upper-case", fn ($password) => strtoupper($digest($password)));
        yield usual("$digest-empty-salt", $digest(...), ['salt' => '']);
        yield user("$digest-utf8", "Ñandú-$digest", $digest("Ñandú-$digest"));
        foreach (['first', 'last'] as $place) {
            $salt = random_digits(12);
            $salted = fn ($password) => $digest($place === 'first' ? $salt . $password : $password . $salt);
            yield usual("$digest-salt-$place", $salted, ['salt' => $salt, 'needs' => "salt-$place"]);
        }
    }
}

function unusual_passwords(): Generator
{
    $passwords = [
        'password-spaces-around' => '  Clave con espacios 1  ',
        'password-utf8' => 'Ñandú veloz 2',
        'password-emoji' => 'Loro🦜Verde3',
        'password-quotes' => 'Comi"lla\'s\\Barra4 & <b>',
        'password-decomposed' => "N\u{303}andu\u{301} 55",
    ];
    foreach ($passwords as $format => $password) {
        yield user($format, $password, bcrypt($password));
    }
    yield user('weak', 'abcdef', bcrypt('abcdef', 10), ['login' => 'weak']);
}

function unusual_columns(): Generator
{
    $google = fn () => (string) random_int(10 ** 17, 10 ** 18 - 1) . '123';
    yield user('google-only', null, null, ['google_sub' => $google(), 'email_verified' => 1]);
    yield user('google-unproved', null, null, ['google_sub' => $google(), 'email_verified' => 0]);
    yield user('no-password', null, null);
    $columns = [
        'google-and-password' => ['google_sub' => $google(), 'email_verified' => 1],
        'news-null' => ['accept_news' => null],
        'name-spaces' => ['name' => "  Ana  García\u{a0} "],
        'name-too-long' => ['name' => str_repeat('ñ', 201)],
        'name-longest' => ['name' => str_repeat('🦜', 200)],
        'name-empty' => ['name' => ''],
        'name-newline' => ['name' => "Ana\nGarcía\tLópez\r\u{1}"],
        'name-quotes' => ['name' => 'Ana "la \\ de" O\'Neill, S.A.; </b> \\n \\"'],
        'name-emoji' => ['name' => 'Ñandú 🦜 👩‍👩‍👧'],
        'avatar-null' => ['url_image' => null],
        'avatar-empty' => ['url_image' => ''],
        'avatar-own' => ['url_image' => '/img/avatars/17.png'],
        'avatar-google' => ['url_image' => 'https://lh3.googleusercontent.com/a/ACg8ocK=s96-c'],
        'created-null' => ['created_at' => null],
        'created-zero' => ['created_at' => '0000-00-00 00:00:00'],
        'created-leap-day' => ['created_at' => '2020-02-29 23:59:59'],
        // In Spain, clocks jumped over this time. It is a valid one in UTC.
        'created-in-summer-time-gap' => ['created_at' => '2021-03-28 02:30:00'],
        'email-upper-case' => ['email' => 'Maria.LOPEZ@Shop.Example'],
    ];
    foreach ($columns as $format => $with) {
        yield usual($format, bcrypt(...), $with);
    }
}

/** Hashes that PHP can make, and that the service does not accept. */
function refused_hashes(): Generator
{
    $refused = ['needs' => 'without-password', 'login' => 'reset'];
    yield usual('bcrypt-14', fn ($password) => bcrypt($password, 14), $refused);
    yield usual('bcrypt-2x', fn ($password) => spelled($password, '2x'), $refused);
    $greedy = ['memory_cost' => 262144, 'time_cost' => 1];
    yield usual('argon2id-greedy', fn ($password) => password_hash($password, PASSWORD_ARGON2ID, $greedy), $refused);
    yield usual('des-crypt', fn ($password) => crypt($password, random_digits(2)), $refused);
    yield usual('extended-des-crypt', fn ($password) => crypt($password, '_J9..' . random_digits(4)), $refused);
    yield usual('md5-crypt', fn ($password) => crypt($password, '$1$' . random_digits(8) . '$'), $refused);
    yield usual('sha256-hex', fn ($password) => hash('sha256', $password), $refused);
    yield usual('not-hashed', fn ($password) => $password, $refused);
}
