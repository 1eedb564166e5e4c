<?php
// php verify.php USERS < export.ndjson: checks that PHP could take all users back. Each line of the export has `email` and
// `password`, the hash. Fails if password_verify refuses the old password for a hash of PHP's own kinds (bcrypt,
// Argon2id), or if a user is missing.
declare(strict_types=1);
require __DIR__ . '/shop.php';
require __DIR__ . '/formats.php';

$users = known($argv[1]);
$faults = [];
$counts = [];
$seen = [];
foreach (lines('php://stdin') as ['email' => $email, 'password' => $hash]) {
    $user = $users[strtolower($email)] ?? null;
    if ($user === null || isset($seen[$user['id']])) {
        $faults[] = $email . ($user === null ? ' was never in the shop' : ' is exported twice');
        continue;
    }
    $seen[$user['id']] = true;
    $kind = kind($hash);
    if ($hash === null) {
        $verdict = 'nothing to verify';
        // A hash that the service does not accept may be left out; any other has to come back.
        if ($user['row']['password'] !== null && $user['needs'] !== 'without-password') {
            $faults[] = "{$user['format']}: the password is missing";
        }
    } else {
        $password = $user['password'] ?? '';
        // Symfony's users log in through Symfony's own preparation of long passwords.
        $typed = $user['needs'] === 'symfony' && str_starts_with($hash, '$2') ? symfony_prepares($password) : $password;
        $accepted = password_verify($typed, $hash);
        $verdict = $accepted ? 'accepted' : 'refused';
        if (!$accepted && is_php($kind)) {
            $faults[] = "{$user['format']}: password_verify refuses its $kind hash";
        }
    }
    $counts["$kind $verdict"] = ($counts["$kind $verdict"] ?? 0) + 1;
}
foreach ($users as $user) {
    // The import refuses rows whose hash the service does not accept, unless it is told to leave the password out.
    if (!isset($seen[$user['id']]) && $user['needs'] !== 'without-password') {
        $faults[] = "{$user['format']} is missing";
    }
}
arsort($counts);
foreach ($counts as $verdict => $count) {
    printf("%5d  %s\n", $count, $verdict);
}
$faults === [] || fail(implode("\n", $faults));
