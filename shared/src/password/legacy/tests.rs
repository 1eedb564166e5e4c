//! Hashes of other systems, most of them made with PHP 8.2, and the passwords that they accept.

use zeroize::Zeroizing;

use super::*;
use crate::HashCost;
use crate::password::Format;
use crate::system::clock::Timestamp;

/// The password of all hashes, unless another one is given.
const PASSWORD: &str = "Passw0rd ñ";

/// Hashes of [`PASSWORD`], each with its format.
const HASHES: [(&str, Format); 12] = [
    ("$2y$04$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS", Format::Bcrypt),
    ("$2a$04$1KAJ7X31xzy8Xob1dUnF/uLOkuCZ1Yotp3pqByibAu5aCgGejGuqe", Format::Bcrypt),
    ("$symfony$2y$04$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS", Format::Symfony),
    ("$wp$2y$04$TOsVgVvmuVQkIgKGrd6jlO/mNZk9MH7DhLYjzAg5/dtvaAn14y7CO", Format::WordPress),
    ("$argon2i$v=19$m=64,t=2,p=1$RnFldmIxeHN6TTdkdThCcg$u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ", Format::Argon2i),
    ("$5$saltsalt$cY7UDCBYLt.5vAEJr2nY0OGGmzivr40nMW7Moh7Dyz8", Format::ShaCrypt),
    ("$5$rounds=1000$saltsaltsaltsalt$cUyfRlS0akNw2D2AJiCze8uPBPOnmTkS5G4aTrdjuV4", Format::ShaCrypt),
    (
        "$6$saltsalt$f30j93AT0obyQFjHOcJ2Yw1ZNL1wnBsl7.w5kxezB.Fyj8ifZHlG4iQTfLyD1VgslqxaIQOKSFc/kFBQOhteG0",
        Format::ShaCrypt,
    ),
    (
        "$6$rounds=1000$a.b/c$qZWI7GDk2gN3xY/XWES9R6H6pTcMSsbGfIFh2i7hZGdWDOTNuoHn8WC/hx0oz4AyfQTWpAWpDKEi.L0xHmrjR1",
        Format::ShaCrypt,
    ),
    (
        "$argon2id$v=19$m=64,t=2,p=1$TkwxRThMLk9iazBBVnVNZg$Otf1sO/5aJM6lwVUx+Mj4APsIktqGaAi2PYwfNmsfjA",
        Format::Argon2id,
    ),
    ("$P$5saltsaltLzcpv5e/mlN28wX//lNUv0", Format::Phpass),
    ("$H$5saltsaltLzcpv5e/mlN28wX//lNUv0", Format::Phpass),
];
/// The bcrypt hashes of `A1` with 80 and with 70 letters `x`.
const OF_82_BYTES: &str = "$2y$04$DUJxlR4XppWnqE1yGjwGFu1HYIk.6OnAMOR7KYIsDODwUeCMhulIG";
const OF_72_BYTES: &str = "$2y$04$sf954t.IiYaKvpAjayTS5.KeFaT0wnxglDcq3oDrrB2Z7XDGvFOk2";
/// Symfony's hash of `A1` with 80 letters `x`.
const SYMFONY_OF_82_BYTES: &str = "$symfony$2y$04$cwInadV56c1mRf0xGbwRXuDddCJjqMracReONMji5D7SXrZEMwf8y";
/// A phpass hash from the published tests of phpass, of `test12345`.
const PHPASS: &str = "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0";

#[expect(clippy::disallowed_methods, reason = "the cost of Argon2id does not matter here")]
fn passwords() -> Passwords {
    let setup = Setup::for_tests([]).hashing_at(HashCost::LEAST);
    Passwords::new(&setup).with_legacy_hashes(&setup)
}

fn secret(text: &str) -> Zeroizing<String> {
    Zeroizing::new(text.to_owned())
}

async fn verdict(stored: &str, password: &str) -> Verdict {
    let password = Password::parse(secret(password)).unwrap();
    passwords().verify(Some(&StoredHash(stored.to_owned())), &password).await.unwrap()
}

#[tokio::test]
async fn each_format_of_php_accepts_only_its_password_and_is_outdated() {
    for (hash, format) in HASHES {
        let (stored, found) = read(hash, false).unwrap();
        assert_eq!((found, stored.as_str()), (format, hash));
        assert_eq!(verdict(hash, PASSWORD).await, Verdict::RightButOutdated, "{hash}");
        for wrong in ["Passw0rd n", "Passw0rd ñ1", "passw0rd Ñ", "Passw0rd"] {
            assert_eq!(verdict(hash, wrong).await, Verdict::Wrong, "{hash}");
        }
    }
}

#[test]
fn phpass_accepts_its_published_example() {
    for mark in ["$P$", "$H$"] {
        let hash = phpass::Phpass::parse(&PHPASS.replace("$P$", mark)).unwrap();
        assert!(hash.matches(b"test12345"));
        assert!(!hash.matches(b"test12346"));
    }
}

#[tokio::test]
async fn a_fast_hash_is_stored_as_an_argon2id_hash_that_accepts_the_password() {
    use SaltPlace::{First, Last};
    for (hash, salt) in [
        ("f85a3240fd9c55b12427db31f9c453e2", None),
        ("BEEB07F3130C4F91EE841BF5C2D17B92C6DB9971", None),
        ("8c63c395f75bbe646501feb75fcc0670", Some((First, "s@lt".to_owned()))),
        ("3397348db5bacef19a5f14ecba74ee27b474f47e", Some((Last, "s@lt".to_owned()))),
    ] {
        let fast = FastHash::parse(hash, salt).unwrap();
        let stored = passwords().wrap(fast, [7; 16]).await.unwrap();
        assert!(stored.as_str().starts_with("$wrapped$") && stored.as_str().contains("$argon2id$"));
        assert!(!stored.as_str().to_lowercase().contains(&hash.to_lowercase()));
        assert_eq!(read(stored.as_str(), true).unwrap().1, Format::Wrapped);
        assert_eq!(verdict(stored.as_str(), PASSWORD).await, Verdict::RightButOutdated, "{hash}");
        assert_eq!(verdict(stored.as_str(), "Passw0rd n").await, Verdict::Wrong, "{hash}");
    }
}

#[tokio::test]
async fn a_password_that_its_hash_covers_only_in_part_is_right_and_its_hash_is_kept() {
    let long = |count| format!("A1{}", "x".repeat(count));
    for (hash, password, expected) in [
        (OF_82_BYTES, long(80), Verdict::Right),
        (OF_82_BYTES, long(70), Verdict::Right),
        (OF_82_BYTES, long(69), Verdict::Wrong),
        (OF_72_BYTES, long(70), Verdict::Right),
        (OF_72_BYTES, long(69), Verdict::Wrong),
        (HASHES[0].0, format!("{PASSWORD}\0more"), Verdict::Right),
        (HASHES[5].0, format!("{PASSWORD}\0more"), Verdict::Right),
        (HASHES[0].0, format!("\0{PASSWORD}"), Verdict::Wrong),
        (SYMFONY_OF_82_BYTES, long(80), Verdict::RightButOutdated),
        (SYMFONY_OF_82_BYTES, long(81), Verdict::Wrong),
        (SYMFONY_OF_82_BYTES, long(70), Verdict::Wrong),
    ] {
        assert_eq!(verdict(hash, &password).await, expected, "{hash} {}", password.len());
    }
}

#[tokio::test]
async fn spaces_around_a_password_of_wordpress_are_ignored_and_its_hash_is_kept() {
    let hash = HASHES[3].0;
    for password in ["  Passw0rd ñ", "Passw0rd ñ\n", "\0Passw0rd ñ\t"] {
        assert_eq!(verdict(hash, password).await, Verdict::Right);
    }
}

#[tokio::test]
async fn after_the_last_day_no_legacy_hash_is_verified() {
    struct At(u64);
    impl Clock for At {
        fn now(&self) -> Timestamp {
            Timestamp::from_milliseconds(self.0 * 1000)
        }
    }
    let setup = Setup::for_tests([("LEGACY_HASHES_UNTIL", "2027-06-30")]);
    let mut passwords = Passwords::new(&setup).with_legacy_hashes(&setup);
    let password = Password::parse(secret(PASSWORD)).unwrap();
    // 2027-07-01 is 1814400000 seconds after 1970-01-01.
    for (now, expected) in [(1_814_399_999, Verdict::RightButOutdated), (1_814_400_000, Verdict::Wrong)] {
        passwords.legacy.as_mut().unwrap().clock = Arc::new(At(now));
        for (hash, format) in HASHES {
            let before = setup.hashed();
            let found = passwords.verify(Some(&StoredHash(hash.to_owned())), &password).await.unwrap();
            let expected = if format == Format::Argon2id { Verdict::RightButOutdated } else { expected };
            assert_eq!((found, setup.hashed() - before), (expected, 1), "{hash} at {now}");
        }
    }
    for wrong in ["2027-6-30", "30.6.2027", "soon", "2027-02-30"] {
        let setup = Setup::for_tests([("LEGACY_HASHES_UNTIL", wrong)]);
        drop(Passwords::new(&setup).with_legacy_hashes(&setup));
        assert!(setup.settings().check().is_err(), "{wrong}");
    }
}

#[test]
fn a_hash_that_no_login_can_verify_is_refused_with_the_reason() {
    let long = "x".repeat(60);
    for (text, reason) in [
        ("", Unusable::Unknown),
        ("Passw0rd", Unusable::Unknown),
        ("$2x$04$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS", Unusable::Unknown),
        ("$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/", Unusable::Unknown),
        ("$2y$04$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvN", Unusable::Broken),
        ("$2y$14$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS", Unusable::TooExpensive),
        ("$2y$03$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS", Unusable::Broken),
        (&format!("$2y${long}"), Unusable::Broken),
        ("$symfony$2y$04$short", Unusable::Broken),
        ("$wp$2y$14$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS", Unusable::TooExpensive),
        ("$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L", Unusable::Broken),
        ("$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L!", Unusable::Broken),
        ("$P$ZIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", Unusable::TooExpensive),
        ("$P$.IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", Unusable::Broken),
        ("$5$saltsalt", Unusable::Broken),
        ("$5$rounds=50001$saltsalt$cY7UDCBYLt.5vAEJr2nY0OGGmzivr40nMW7Moh7Dyz8", Unusable::TooExpensive),
        ("$5$rounds=x$saltsalt$cY7UDCBYLt.5vAEJr2nY0OGGmzivr40nMW7Moh7Dyz8", Unusable::Broken),
        ("$argon2i$v=19$m=64,t=2,p=1$RnFldmIxeHN6TTdkdThCcg", Unusable::Broken),
        (
            "$argon2i$v=19$m=4194304,t=2,p=1$RnFldmIxeHN6TTdkdThCcg$u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ",
            Unusable::TooExpensive,
        ),
        (
            "$argon2id$v=19$m=64,t=9,p=1$RnFldmIxeHN6TTdkdThCcg$u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ",
            Unusable::TooExpensive,
        ),
        (
            "$wrapped$md4$argon2id$v=19$m=64,t=2,p=1$RnFldmIxeHN6TTdkdThCcg$u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ",
            Unusable::Broken,
        ),
        (
            "$wrapped$md5,first$argon2id$v=19$m=64,t=2,p=1$RnFldmIxeHN6TTdkdThCcg$u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ",
            Unusable::Broken,
        ),
        ("$wrapped$md5", Unusable::Broken),
    ] {
        assert_eq!(read(text, false).map(|_| ()), Err(reason), "{text}");
    }
}

#[tokio::test]
async fn a_hash_with_parameters_that_argon2_does_not_allow_is_refused_and_the_smallest_ones_are_verified() {
    const HASH: &str = "u21kPoUjxwsn6l68k+zFkW+npk5Tn5ItbxHve2qobKQ";
    // A salt of 11 characters has 8 bytes, the fewest that Argon2 takes.
    let smallest = format!("m=8,t=1,p=1$c2FsdHNhbHQ${HASH}");
    for parameters in [
        format!("m=8,t=0,p=1$c2FsdHNhbHQ${HASH}"),
        format!("m=7,t=1,p=1$c2FsdHNhbHQ${HASH}"),
        format!("m=8,t=1,p=0$c2FsdHNhbHQ${HASH}"),
        format!("m=15,t=1,p=2$c2FsdHNhbHQ${HASH}"),
        format!("m=8,t=1,p=1$c2FsdHNhbA${HASH}"),
        format!("m=8,t=1,p=1$${HASH}"),
    ] {
        for start in ["$argon2id", "$argon2i", "$wrapped$md5$argon2id"] {
            let stored = format!("{start}$v=19${parameters}");
            assert_eq!(read(&stored, false).map(|_| ()), Err(Unusable::Broken), "{stored}");
        }
    }
    for start in ["$argon2id", "$argon2i", "$wrapped$md5$argon2id"] {
        let stored = format!("{start}$v=19${smallest}");
        assert!(read(&stored, false).is_ok(), "{stored}");
        assert_eq!(verdict(&stored, PASSWORD).await, Verdict::Wrong, "{stored}");
    }
}

#[tokio::test]
async fn a_password_of_megabytes_is_refused_without_its_sha_crypt_hash() {
    let password = Password::parse(secret(&format!("A1{}", "x".repeat(4_000_000)))).unwrap();
    for (hash, _) in HASHES.into_iter().filter(|(_, format)| *format == Format::ShaCrypt) {
        let passwords = passwords();
        let stored = StoredHash(hash.to_owned());
        // Hashing the whole password with SHA-crypt would take an hour.
        assert_eq!(passwords.verify(Some(&stored), &password).await.unwrap(), Verdict::Wrong);
    }
}

#[tokio::test]
async fn a_password_that_wordpress_or_phpbb_has_escaped_before_it_hashed_it_is_right_and_is_replaced() {
    const QUOTE: &str = r#"Secreto"123"#;
    for (hash, typed) in [
        ("$P$BsaltsaltHxlrGvR0XLCHgrvAe8toB0", QUOTE),
        ("$wp$2y$04$TOsVgVvmuVQkIgKGrd6jlOl9xZ4bcwDI7eC53wqXzhRwSGgvrnmq2", QUOTE),
        ("$H$9saltsaltFBeR46Mp6xYfaeU4HGumE1", "Secreto&123"),
    ] {
        assert_eq!(verdict(hash, typed).await, Verdict::RightButOutdated, "{hash}");
        for wrong in ["Secreto123", "Secreto'123", "Secreto<123", "Secreto\\123"] {
            assert_eq!(verdict(hash, wrong).await, Verdict::Wrong, "{hash} {wrong}");
        }
    }
    // phpBB hashes with bcrypt since 3.1.
    let hash = bcrypt::hash("A1 &lt;&amp;&quot;&gt; '", 4).unwrap();
    assert_eq!(verdict(&hash, "A1 <&\"> '").await, Verdict::RightButOutdated);
}
