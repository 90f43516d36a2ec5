//! Customers, their addresses, and their facts on each inbox.

pub mod customers;
pub mod inbox_customers;
pub mod lite_offers;
pub mod marketing_stops;
