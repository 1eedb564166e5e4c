//! Runs of schedules, the search through all of them, and the storm.

pub(crate) mod actors;
pub(crate) mod explore;
pub(crate) mod names;
pub(crate) mod run;
pub(crate) mod storm;
