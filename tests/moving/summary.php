<?php
// php summary.php USERS: prints the number of users for each kind of stored hash, and for each option of the import.
declare(strict_types=1);
require __DIR__ . '/shop.php';

$users = lines($argv[1]);
$kinds = array_count_values(array_map(fn ($user) => kind($user['row']['password']), $users));
arsort($kinds);
foreach ($kinds as $kind => $count) {
    printf("%5d  %s\n", $count, $kind);
}
foreach (array_count_values(array_map(fn ($user) => $user['needs'] ?? 'nothing', $users)) as $needs => $count) {
    printf("%5d  need %s\n", $count, $needs);
}
printf("%5d  users\n", count($users));
