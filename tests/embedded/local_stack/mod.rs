//! What the local stack has and a deployment does not: its own pages, the guard before them, and data in a folder.

mod gateway;
mod guard;
mod pages;
mod restart;
