pub mod callbacks;
pub mod failed_callbacks;
pub mod media;
pub mod media_content;
pub mod stray_callbacks;
pub mod unsent_files;
pub mod waiting_referrals;
