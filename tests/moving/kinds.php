<?php
// The kinds of stored hashes.
declare(strict_types=1);

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
