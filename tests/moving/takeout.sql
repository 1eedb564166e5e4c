-- Takes out the table `users` as NDJSON, one line for each user:
--
--   mariadb --batch --raw --skip-column-names --quick --default-character-set=utf8mb4 shop < takeout.sql > users.ndjson
--
-- --batch and --skip-column-names leave only the rows. Without --raw the client doubles each backslash, which breaks the
-- JSON. Without --default-character-set=utf8mb4 it may replace emoji by question marks. --quick prints rows as they
-- arrive; without it the client first holds the whole table in memory.
--
-- A TIMESTAMP column is printed in this zone; a DATETIME column is printed as it was written.
SET time_zone = '+00:00';
-- CONVERT: one binary column (VARBINARY, BLOB) would change the encoding of the whole object.
-- DATE_FORMAT: MySQL would add six digits for fractions of a second.
SELECT JSON_OBJECT(
  'id', id,
  'email', CONVERT(email USING utf8mb4),
  'name', CONVERT(name USING utf8mb4),
  'url_image', CONVERT(url_image USING utf8mb4),
  'accept_news', accept_news,
  'password', CONVERT(password USING utf8mb4),
  'salt', CONVERT(salt USING utf8mb4),
  'google_sub', CONVERT(google_sub USING utf8mb4),
  'email_verified', email_verified,
  'created_at', DATE_FORMAT(created_at, '%Y-%m-%d %H:%i:%s')
) FROM users ORDER BY id;
