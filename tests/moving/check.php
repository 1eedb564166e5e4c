<?php
// php check.php USERS TAKEOUT: compares every field of a takeout (.ndjson or .csv) with what users.php inserted.
declare(strict_types=1);
require __DIR__ . '/shop.php';

/** The rows of a CSV file, each by the column names of the header. */
function csv(string $file): array
{
    $stream = fopen($file, 'r');
    $heading = fgetcsv($stream, escape: '');
    $rows = [];
    while (($row = fgetcsv($stream, escape: '')) !== false) {
        count($row) === count($heading) || fail("$file: row " . count($rows) + 1 . ' has ' . count($row) . ' fields');
        $rows[] = array_combine($heading, $row);
    }
    return $rows;
}

[, $file, $takeout] = $argv;
$is_csv = str_ends_with($takeout, '.csv');
$rows = $is_csv ? csv($takeout) : lines($takeout);
$users = lines($file);
$faults = $fields = 0;
foreach ($users as $index => $user) {
    $inserted = ['id' => $user['id']] + $user['row'];
    $taken = $rows[$index] ?? [];
    foreach ($inserted as $column => $value) {
        // CSV has only texts, and an empty one for NULL. NDJSON keeps numbers and NULL.
        $expected = $is_csv ? (string) $value : $value;
        $found = array_key_exists($column, $taken) ? $taken[$column] : '(missing)';
        $fields++;
        if ($found !== $expected) {
            $faults++;
            $texts = array_map(json_encode(...), [$expected, $found]);
            fprintf(STDERR, "%s, %s: inserted %s, taken out %s\n", $user['format'], $column, ...$texts);
        }
    }
    if ($unknown = array_diff_key($taken, $inserted)) {
        fail("$takeout: unknown column " . implode(', ', array_keys($unknown)));
    }
}
count($rows) === count($users) || fail(sprintf('%s: %d users, but %d were inserted', $takeout, count($rows), count($users)));
$faults === 0 || fail("$takeout: $faults of $fields fields are wrong");
printf("%s: %d users, all %d fields are right\n", basename($takeout), count($rows), $fields);
