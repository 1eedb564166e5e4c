<?php
// The connection to the shop's database, the lines of NDJSON, and the kinds of stored hashes, for all scripts of this folder.
// SHOP_SOCKET is MariaDB's unix socket. SHOP_DATABASE and SHOP_USER have defaults.
declare(strict_types=1);

function shop(): PDO
{
    $socket = getenv('SHOP_SOCKET') ?: fail('SHOP_SOCKET is missing: the path of MariaDB\'s unix socket');
    $database = getenv('SHOP_DATABASE') ?: 'shop';
    return new PDO("mysql:unix_socket=$socket;dbname=$database;charset=utf8mb4", getenv('SHOP_USER') ?: 'root');
}

/** One line of NDJSON. */
function line(array $fields): string
{
    return json_encode($fields, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES) . "\n";
}

/** The objects of a file of NDJSON. A line that is not JSON ends the script. */
function lines(string $file): array
{
    $objects = [];
    foreach (file($file, FILE_IGNORE_NEW_LINES) as $index => $text) {
        try {
            $objects[] = (array) json_decode($text, true, 8, JSON_THROW_ON_ERROR);
        } catch (JsonException $error) {
            fail(sprintf('%s, line %d: %s', $file, $index + 1, $error->getMessage()));
        }
    }
    return $objects;
}

/** The users that users.php wrote, by their address in lower case. */
function known(string $file): array
{
    $users = lines($file);
    return array_combine(array_map(strtolower(...), array_column($users, 'email')), $users);
}

function fail(string $sentence): never
{
    fwrite(STDERR, "$sentence\n");
    exit(1);
}

/** The kind of a stored hash, such as `$2y$` or `$argon2id$`. */
function kind(?string $hash): string
{
    return match (true) {
        $hash === null => 'no password',
        preg_match('/^\$wp\$2y\$/', $hash) === 1 => '$wp$2y$',
        preg_match('/^\$[0-9a-zA-Z]+\$/', $hash, $prefix) === 1 => $prefix[0],
        preg_match('/^(?:[0-9a-f]{32}|[0-9a-f]{40})$/i', $hash) === 1 => strlen($hash) === 32 ? 'md5' : 'sha1',
        default => 'other',
    };
}

/** Whether password_verify must accept a hash of this kind that the service exports. */
function is_php(string $kind): bool
{
    return in_array($kind, ['$2y$', '$2a$', '$2b$', '$argon2id$'], true);
}
