//! An API of the product that stores movements of money by the id of the account. It knows nothing of sessions: the
//! authorizer of the account service stands in front of it.

mod movements;

pub use movements::{Movement, Movements};
