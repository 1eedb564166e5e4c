//! Claims that need the stack in hand.

mod budget;
