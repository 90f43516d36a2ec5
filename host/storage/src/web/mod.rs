pub mod sites;
pub mod threads;
pub mod visitors;
