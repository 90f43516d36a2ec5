pub mod customers;
pub mod inbox_customers;
pub mod lite_offers;
pub mod marketing_stops;
