//! The parts that only the local stack has: its own pages, the guard before them, and data in a folder.

mod gateway;
mod guard;
mod pages;
mod restart;
