// The bodies of the API that the inbox uses (docs/openapi.json).

/** @typedef {{id: string, name?: string, email?: string}} Agent */
/**
 * @typedef {{id: string, channel: string, name?: string, username?: string, phoneNumber?: string, userId?: string, whatsAppNumber?: string, inbox?: string,
 *   assignedTo?: Agent, lastAssignedAgent?: Agent, teamId?: string, teamName?: string, ticketId?: string, queuedReason?: string, waitingSince?: string | null, tags?: string[],
 *   conversationClosed: boolean, missedConversation: boolean, afterHoursConversation: boolean, chatBotConversation: boolean, sendRatingWidget: boolean,
 *   unreadCount: number, lastMessageTime: string, lastMessage?: Preview | null, createdTime?: string}} Chat
 * `lastMessage` and `waitingSince`: `null` if there is none, `undefined` until it is known.
 */
/** @typedef {{sequenceNumber: number, direction: "INCOMING" | "OUTGOING", contentType: string, text?: string, createdTime: string, deleted?: boolean}} Preview */
/**
 * @typedef {{id: string, participantId: string, sequenceNumber: number, direction: "INCOMING" | "OUTGOING", contentType: string, channel: string, text?: string,
 *   createdTime: string, userOriginated: boolean, messageOwner: string, afterHours?: boolean, status?: string, errorCode?: string, errorCodeString?: string, mediaUrl?: string,
 *   fileExtension?: string, latitude?: number, longitude?: number, quotedMessageId?: string, quotedExternalMessageId?: string, quotedText?: string,
 *   reactionTo?: string, whatsAppMessageId?: string, facebookMessageId?: string, gstId?: string, tempId?: string, edited?: boolean, deleted?: boolean,
 *   referral?: {headline?: string, body?: string, sourceUrl?: string, ref?: string}, pending?: boolean, fault?: unknown}} Message
 * `pending` and `fault` are ours: a message on its way to the server, and the reason why it did not get there.
 */
/** @typedef {{id: string, participantId: string, text: string, author: Agent, mentions: Agent[], whisperTo?: Agent, createdTime: string}} Note */
/** @typedef {{id: string, name?: string, writing: boolean}} Viewer */
export {};
