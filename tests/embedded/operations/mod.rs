//! What operators read: log lines and audit lines.

mod audit;
mod logs;
