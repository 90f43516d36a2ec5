// The plugin whose configuration is a flow, and the addresses of its flows.

export const FLOW_PLUGIN = "flow";
/** The name in an address for the place of all inboxes. */
export const EVERYWHERE = "all";

/** The path of the editor for an activation. @param {{mode: string, whatsAppNumberId: string | null}} activation */
export function flowPath({ mode, whatsAppNumberId }) {
  return `/flows/${mode}/${whatsAppNumberId ?? EVERYWHERE}`;
}
