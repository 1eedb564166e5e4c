//! Calls per request.

use journeys::{Embedded, PASSWORD};

#[tokio::test]
async fn calls() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    println!("{:?}", stack.table.calls());
    ana.login(PASSWORD).await;
    println!("{:?}", stack.table.calls());
    println!("{:?}", ana.session().await);
    println!("{:?}", stack.table.calls());
    println!("{}", ana.reset_token().await);
    println!("{:?} {:?}", stack.table.calls(), stack.mail.calls());
    println!("{:?}", stack.items("accounts").await);
}
