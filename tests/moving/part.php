<?php
// php part.php USERS NEEDS < takeout.ndjson: prints the lines of the users that need this option of the import; with
// `nothing`, of the users that need none. A real shop has one order of salts; this one has both.
declare(strict_types=1);
require __DIR__ . '/shop.php';

[, $file, $needs] = $argv;
$users = known($file);
while (($text = fgets(STDIN)) !== false) {
    $email = strtolower(json_decode($text, true, 8, JSON_THROW_ON_ERROR)['email']);
    if (($users[$email]['needs'] ?? 'nothing') === $needs) {
        echo $text;
    }
}
