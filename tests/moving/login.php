<?php
// php login.php SERVICE USERS ROUND: logs every user in with the old password. ROUND is `first`, before the hashes are
// replaced, or `again`. In the round `also`, users with another password that PHP accepts log in with that one.
declare(strict_types=1);
require __DIR__ . '/shop.php';

const LOGGED_IN = 'Inicio de sesión correcto';
const WRONG = 'Email o contraseña incorrectas';
const WEAK = 'La contraseña debe tener al menos 8 caracteres, una mayúscula y un número';

[, $service, $file, $round] = $argv;

/** The message in the answer to a login. */
function login(string $service, string $email, string $password): string
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => "X-Requested-With: XMLHttpRequest\r\nContent-Type: application/x-www-form-urlencoded",
        'content' => http_build_query(['email' => $email, 'password' => $password]),
        'ignore_errors' => true,
    ]]);
    $answer = file_get_contents("$service/app/auth/sendLogin.php", false, $context);
    return json_decode($answer, true, 8, JSON_THROW_ON_ERROR)['message'];
}

$faults = [];
$logins = 0;
foreach (known($file) as $email => $user) {
    $expected = ['ok' => LOGGED_IN, 'weak' => WEAK, 'none' => WRONG, 'reset' => WRONG][$user['login']];
    $tried = [[$user['password'] ?? 'Passw0rd', $expected]];
    if ($user['login'] === 'ok') {
        $tried[] = [$user['password'] . 'x', WRONG];
    }
    if ($round === 'also') {
        $tried = $user['also'] === null ? [] : [[$user['also'], LOGGED_IN]];
    }
    foreach ($tried as [$password, $message]) {
        $found = login($service, $email, $password);
        $logins += 1;
        // bcrypt does not see what follows the 72nd byte, or a NUL.
        $is_cut = $message === WRONG && $found === LOGGED_IN && $user['login'] === 'ok'
            && (strlen($user['password']) >= 72 || str_contains($user['password'], "\0"));
        if ($found !== $message && !$is_cut) {
            $faults[] = "{$user['format']}, login {$user['login']}: \"$found\" instead of \"$message\"";
        }
    }
}
$faults === [] || fail(implode("\n", $faults));
echo "$logins logins, $round: all as expected\n";
