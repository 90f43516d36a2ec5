// Sends one-time pins first, refuses long texts of batches, and leaves all other messages unchanged.
package main

import "local/patchbay"

func init() { patchbay.SmsRouter(decide) }

func decide(sms patchbay.Sms) (patchbay.Decision, error) {
	if patchbay.IsOutgoing(sms) && sms.Traffic == "otp" {
		return patchbay.Changed(patchbay.Changes{Priority: 3, ValiditySeconds: 300, Reason: "a pin"}), nil
	}
	if sms.Product == "batch" && sms.Segments > 6 {
		return patchbay.Refuse("too long for a batch"), nil
	}
	return patchbay.AsIs(), nil
}

// main is never called, but the compiler requires it.
func main() {}
