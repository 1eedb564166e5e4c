//! What is deployed: the routes and permissions of the template, the settings, other origins.

mod origins;
mod policies;
mod settings;
mod template;
