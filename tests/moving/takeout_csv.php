<?php
// Takes out the table `users` as CSV, with a header: php takeout_csv.php > users.csv
// NULL becomes an empty field, as does an empty text. Takeouts as NDJSON keep the difference.
declare(strict_types=1);
require __DIR__ . '/shop.php';

$shop = shop();
// Rows are printed as they arrive. PDO's default is to read the whole table into memory first.
$shop->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
$columns = ['id', 'email', 'name', 'url_image', 'accept_news', 'password', 'salt', 'google_sub', 'email_verified', 'created_at'];
// Without `escape: ''`, PHP does not double a quote that follows a backslash, and other programs read a different text.
fputcsv(STDOUT, $columns, escape: '');
foreach ($shop->query('SELECT ' . implode(', ', $columns) . ' FROM users ORDER BY id', PDO::FETCH_NUM) as $row) {
    fputcsv(STDOUT, $row, escape: '');
}
