<?php
// Creates the table `users` of a PHP shop and fills it with the users of people.php. Prints a line of NDJSON for each:
// the plain password, what the import needs, and in `row` what was inserted.
declare(strict_types=1);
require __DIR__ . '/shop.php';
require __DIR__ . '/formats.php';
require __DIR__ . '/people.php';

/** The service's rule for passwords. */
function is_strong(string $password): bool
{
    return iconv_strlen($password, 'UTF-8') >= 8 && preg_match('/\p{Lu}/u', $password) && preg_match('/[0-9]/', $password);
}

/** Checks what PHP itself can check, so that a fault in this folder is not blamed on the import. */
function checked(array $user): array
{
    ['format' => $format, 'password' => $password, 'login' => $login] = $user;
    if ($password !== null && is_strong($password) === ($login === 'weak')) {
        fail("$format: the password does not fit the service's rule");
    }
    $hash = $user['row']['password'];
    if ($user['needs'] === null && $login !== 'none' && preg_match('/^\$([2156]|argon)/', $hash)) {
        foreach (array_filter([$password, $user['also']]) as $text) {
            password_verify($text, $hash) || fail("$format: password_verify refuses the password");
        }
    }
    return $user;
}

// The example of phpass's authors.
phpass('test12345', '$P$9IQRaTwmf') === '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0' || fail('phpass in formats.php is wrong');

$shop = shop();
$shop->exec(<<<'SQL'
    CREATE TABLE users (
        id INT AUTO_INCREMENT PRIMARY KEY,
        email VARCHAR(255) NOT NULL UNIQUE,
        name VARCHAR(255) NOT NULL,
        password VARCHAR(255) NULL,
        salt VARCHAR(64) NULL,
        url_image VARCHAR(255) NULL,
        accept_news TINYINT NULL,
        google_sub VARCHAR(255) NULL,
        email_verified TINYINT NOT NULL DEFAULT 0,
        created_at DATETIME NULL
    ) CHARACTER SET utf8mb4
    SQL);

$insert = null;
$count = 0;
foreach (people() as $user) {
    $row = checked($user)['row'];
    $columns = array_keys($row);
    sort($columns);
    $insert ??= $shop->prepare(sprintf('INSERT INTO users (%s) VALUES (:%s)', implode(', ', $columns), implode(', :', $columns)));
    $insert->execute($row);
    $id = (int) $shop->lastInsertId();
    echo line(['id' => $id, 'email' => $row['email']] + $user);
    // Now and then a user has left, so that ids have gaps.
    if (++$count % 20 === 0) {
        $shop->exec("INSERT INTO users (email, name) VALUES ('left@shop.example', 'Baja')");
        $shop->exec("DELETE FROM users WHERE email = 'left@shop.example'");
    }
    stream_isatty(STDERR) && fwrite(STDERR, "\r$count users ");
}
stream_isatty(STDERR) && fwrite(STDERR, "\r");
