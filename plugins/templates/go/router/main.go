// Sends customers with the tag vip to the team VIP, and all others to the default bot.
package main

import (
	"slices"

	"local/patchbay"
)

func init() { patchbay.Router(route) }

func route(inbound patchbay.Inbound) (patchbay.Decision, error) {
	if slices.Contains(inbound.Tags, "vip") {
		return patchbay.ToTeam("VIP", "the contact has the tag vip", ""), nil
	}
	return patchbay.ToBot("", "nothing special"), nil
}

// main is never called, but the compiler requires it.
func main() {}
