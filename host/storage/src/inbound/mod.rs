//! What providers tell us, and the files that customers send.

pub mod callbacks;
pub mod failed_callbacks;
pub mod media;
pub mod media_content;
pub mod waiting_referrals;
