use base::lanes::Lease;
use domain::ids::EndpointId;

pub(super) fn endpoint_of(lease: &Lease) -> EndpointId {
    EndpointId(lease.lane)
}
