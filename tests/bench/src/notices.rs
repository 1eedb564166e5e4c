//! The change that the function `notices` handles in its scenario: an account has a new password. The function deletes
//! the session that this ends, and sends a letter.

use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

use crate::table::Answers;

/// The event with the change of this account, whose generation is 3, and the answers of the services. The table has a
/// session of the generation before, and no record that a letter about the change was sent.
pub(crate) fn changed_password(profile: &Value, session: &Value) -> (Value, Answers) {
    let [mut before, mut ended] = [profile, session].map(Clone::clone);
    for item in [&mut before, &mut ended] {
        set(item, "generation", json!({"N": "2"}));
    }
    set(&mut before, "password", json!({"S": "$argon2id$v=19$m=8,t=1,p=1$b3RoZXI$b3RoZXI"}));
    let record = json!({
        "eventID": "1",
        "eventName": "MODIFY",
        "dynamodb": {
            "ApproximateCreationDateTime": SystemClock.now().seconds(),
            "Keys": {"pk": profile.get("pk"), "sk": profile.get("sk")},
            "NewImage": profile,
            "OldImage": before,
            "SequenceNumber": "100",
        },
    });
    let answers = [
        ("Query", json!({"Items": [ended], "Count": 1, "ScannedCount": 1})),
        ("GetItem", json!({})),
        ("DeleteItem", json!({})),
        ("PutItem", json!({})),
        ("UpdateItem", json!({})),
    ];
    (json!({"Records": [record]}), answers.into())
}

fn set(item: &mut Value, name: &str, value: Value) {
    if let Some(item) = item.as_object_mut() {
        item.insert(name.to_owned(), value);
    }
}
