"""The types of the API. `python scripts/generate.py` makes this file from docs/openapi.json."""

from typing import Any, Literal, Required, TypedDict, Union

AddressKind = Literal['PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID']

AliveStatus = Literal['UP']

BatchReceiptStatus = Literal['DELIVRD', 'UNDELIV', 'EXPIRED', 'REJECTD', 'UNKNOWN', 'NOTAVAIL']

BatchState = Literal['OPEN', 'DONE', 'PAUSED', 'CANCELLED']

BillingModel = Literal['INTERACTION', 'CONVERSATION']

CallbackProvider = Literal['WHATSAPP_CLOUD', 'WHATSAPP_LITE', 'MESSENGER', 'TELEGRAM']

Channel = Literal['WHATSAPP', 'WEB', 'FACEBOOK', 'TELEGRAM', 'SMS']

ChannelStatus = Literal['CONNECTED', 'DISCONNECTED', 'FLAGGED', 'RESTRICTED']

ChatAssignment = Literal['off', 'round-robin', 'least-busy']

ChatMediaType = Literal['IMAGE', 'DOCUMENT', 'VIDEO', 'AUDIO', 'VOICE']

ContactAttributeType = Literal['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'CHOICE']

ContentType = Literal['TEXT', 'IMAGE', 'DOCUMENT', 'VIDEO', 'AUDIO', 'VOICE', 'FILE', 'LOCATION', 'BUTTON', 'CAROUSEL', 'RATING', 'MEDIA']

ConversationMessageType = Literal['CONVERSATION', 'NOTIFICATION']

ConversationState = Literal['ACTIVE', 'CLOSED']

ConversationStatus = Literal['ACTIVE', 'CLOSED']

DayOfWeek = Literal['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

DeliveryState = Literal['QUEUED', 'ACCEPTED', 'SENT', 'DELIVERED', 'READ', 'PLAYED', 'FAILED']

ErasureAction = Literal['deleted', 'blanked', 'redacted', 'kept']

EventDirection = Literal['INCOMING', 'OUTGOING']

FailedCallbackKind = Literal['message', 'status', 'change', 'entry', 'event', 'update', 'message echo', 'group message', 'item']

FailureCodeSource = Literal['PATCHBAY', 'WHATSAPP']

GatewayFlag = Union[bool, str]

GatewayMessageStatus = Literal['100', '500', '501', '600', '620']

GatewaySendStatus = Literal['100', '402', '502']

GatewayTrackingStatus = Literal['100', '228']

HostingType = Literal['WHATSAPP_GO']

InboxChannel = Literal['WHATSAPP', 'FACEBOOK', 'TELEGRAM']

InboxKind = Literal['WHATSAPP_CLOUD', 'WHATSAPP_LITE', 'MESSENGER', 'TELEGRAM']

IncomingContent = Literal['TEXT', 'MEDIA', 'LOCATION', 'BUTTON', 'INTERACTIVE', 'CONTACT', 'REACTION', 'CAROUSEL']

LaneWork = Literal['WORKING', 'WAITING']

LiteBillingModel = Literal['message']

MessageDirection = Literal['INCOMING', 'OUTGOING']

MessageType = Literal['NOTIFICATION', 'CHAT', 'REPLY', 'SMS', 'CONVERSATION', 'PRODUCT']

Mode = Literal['live', 'shadow', 'canary']

NumberRating = Literal['GREEN', 'YELLOW', 'RED']

NumberStatus = Literal['CONNECTED', 'DISCONNECTED', 'FLAGGED', 'RESTRICTED']

OpenidMode = Literal['OFF', 'LINKED_USERS', 'CREATE_USERS']

PayloadVersion = Literal['v1', 'v2']

PluginCondition = Literal['SUSPENDED', 'SLOW', 'WORKING']

PluginOutcome = Literal['answered', 'refused', 'trapped', 'timed-out', 'limit-exceeded', 'bad-answer', 'key-values-unavailable', 'not-started']

PluginSignatureState = Literal['VALID', 'ABSENT', 'KEY_REMOVED', 'MISMATCH']

PluginSource = Literal['uploaded', 'built-in', 'directory']

PluginState = Literal['READY', 'BROKEN']

PluginUploadState = Literal['COMPILING', 'READY', 'REFUSED']

ProblemKind = Literal['SCHEMA_DIFFERS', 'NO_WORKER', 'PROCESS_SILENT', 'QUEUE_LATE', 'BIND_DOWN', 'TOKEN_REFUSED', 'LITE_DISCONNECTED', 'PLUGIN_SUSPENDED', 'DISK_FULL', 'PARTITION_MISSING', 'SAFEGUARD_DISABLED']

ProcessRole = Literal['SERVE', 'SERVE_ONLY', 'WORK']

ProcessState = Literal['RUNNING', 'STOPPED', 'SILENT']

Quality = Literal['GREEN', 'YELLOW', 'RED', 'UNKNOWN']

RateCategory = Literal['MARKETING', 'UTILITY', 'AUTHENTICATION', 'SERVICE', 'SMS', 'INCOMING']

ReadyStatus = Literal['READY', 'NOT_READY']

ReplyMethod = Literal['GET', 'POST']

ReportTime = str

ReportedState = Literal['ACCEPTED', 'SENT', 'DELIVERED', 'READ', 'PLAYED', 'FAILED']

Role = Literal['ADMIN', 'SUPERVISOR', 'AGENT', 'DEVELOPER', 'API']

SendChannel = Literal['WHATSAPP', 'SMS']

SendComponentType = Literal['body', 'header', 'button', 'carousel']

SendConversationState = Literal['start', 'end']

SendHeaderFormat = Literal['DOCUMENT', 'IMAGE', 'VIDEO']

SendMessageType = Literal['NOTIFICATION', 'CHAT']

SendStatus = Literal['ACCEPTED', 'PARTIAL']

SessionState = Literal['connecting', 'success', 'disconnected']

SessionStatusType = Literal['connecting', 'success', 'disconnected']

SmsFallbackMode = Literal['STRICT', 'ANY_131026']

SmsReceiptCode = Literal['500', '501', '600', '620']

SmsReport = Literal['SMS']

StoryEventKind = Literal['REQUEST', 'PROVIDER_CALL', 'RECEIPT', 'DECISION', 'ROUTE', 'WEBHOOK', 'WEBHOOK_ATTEMPT']

TemplateApproval = Literal['APPROVED', 'REJECTED', 'PAUSED', 'DISABLED']

TemplateElement = Literal['HEADER', 'BODY', 'FOOTER', 'BUTTONS']

TicketRating = Literal['poor', 'average', 'excellent']

TicketStatus = Literal['OPEN', 'AWAITING_AGENT', 'AWAITING_CUSTOMER', 'RESOLVED', 'CLOSED']

WantedSession = Literal['CONNECTED', 'DISCONNECTED', 'LOGGED_OUT']

WebhookDeliveryState = Literal['PENDING', 'DELIVERED', 'DROPPED', 'FAILED']

WebhookDisabledReason = Literal['GONE', 'FAILING']

WebhookState = Literal['ON', 'OFF', 'DISABLED']

WebhookType = Literal['INCOMING_MESSAGE', 'STATUS_UPDATE', 'SESSION_STATUS', 'PARTNER_EVENT', 'CHATBOT']

WhatsAppProvider = Literal['WHATSAPP_CLOUD', 'WHATSAPP_LITE']

World = Literal['chatbot', 'sms-fallback', 'webhook-shaper', 'router', 'sms-router']

class AcceptedRecipient(TypedDict, total=False):
    """An accepted recipient."""

    ctId: str
    gstId: Required[str]
    number: Required[str]

class Activate(TypedDict, total=False):
    allowedHosts: Union[list[str], None]
    config: Union[dict[str, Any], None]
    errorThreshold: Union[int, None]
    httpLimits: Union["PluginHttpLimits", None]
    minimumCalls: Union[int, None]
    mode: Union["Mode", None]
    percent: Union[int, None]
    preview: bool
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]

class Activation(TypedDict, total=False):
    activatedTime: Required[str]
    allowedHosts: Required[list[str]]
    config: Required[dict[str, Any]]
    errorThreshold: Required[int]
    httpLimits: Required["PluginHttpLimits"]
    id: Required[str]
    minimumCalls: Required[int]
    mode: Required["Mode"]
    percent: Required[int]
    plugin: Required[str]
    recording: Union["RecordingTerms", None]
    secrets: Required[list[str]]
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]
    world: Required["World"]

class ActivationHealth(TypedDict, total=False):
    activationId: Required[str]
    calls: Required[int]
    failures: Required[int]
    meanMicros: Union[int, None]
    mode: Required["Mode"]
    p95Micros: Union[int, None]
    suspension: Union["PluginSuspension", None]
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]

class ActivationResult(TypedDict, total=False):
    """The present activation."""

    activatedTime: Required[str]
    allowedHosts: Required[list[str]]
    config: Required[dict[str, Any]]
    errorThreshold: Required[int]
    httpLimits: Required["PluginHttpLimits"]
    id: Required[str]
    minimumCalls: Required[int]
    mode: Required["Mode"]
    percent: Required[int]
    plugin: Required[str]
    recording: Union["RecordingTerms", None]
    secrets: Required[list[str]]
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]
    world: Required["World"]
    kept: Required[list[str]]
    replaced: Union["ReplacedPlugin", None]

class AgentOfChatV1(TypedDict, total=False):
    id: Required[str]

class AgentState(TypedDict, total=False):
    """An agent with its load."""

    available: Required[bool]
    chatLimit: Required[int]
    chats: Required[int]
    id: Required[str]
    lastActiveTime: Union[str, None]
    name: Required[str]
    teamId: Union[str, None]
    teamName: Union[str, None]

class Alive(TypedDict, total=False):
    status: Required["AliveStatus"]

class ApiKey(TypedDict, total=False):
    apiKey: Required[str]

class AssignChat(TypedDict, total=False):
    """The new agent or team of a chat."""

    agentId: Union[str, None]
    ifOwner: Union[str, None]
    teamId: Union[str, None]

class AuditEntry(TypedDict, total=False):
    """An administrative change."""

    action: Required[str]
    actor: Required[str]
    hash: Required[str]
    id: Required[str]
    number: Required[int]
    targetId: Required[str]
    targetKind: Required[str]
    time: Required[str]

class AuditFault(TypedDict, total=False):
    """The first place at which a chain is broken."""

    changedId: str
    number: Required[int]

class AuditVerification(TypedDict, total=False):
    """The result of a verification."""

    entries: Required[int]
    erased: Required[int]
    firstFault: "AuditFault"
    intact: Required[bool]
    lastHash: Required[str]

class Availability(TypedDict, total=False):
    """Availability of an agent."""

    available: Required[bool]

class Batch(TypedDict, total=False):
    """The messages of one send request."""

    acceptedCount: Required[int]
    batchId: Required[str]
    category: Union[str, None]
    channel: Required["Channel"]
    createdTime: Required[str]
    messageType: Required["MessageType"]
    rejectedCount: Required[int]
    requestId: Union[str, None]
    sender: Union[str, None]
    state: Required["BatchState"]
    templateName: Union[str, None]

class BatchCharge(TypedDict, total=False):
    """The cost of a batch."""

    correctnumbers: Required[int]
    credits: Required[int]
    totalnumbers: Required[int]

class BatchCounts(TypedDict, total=False):
    """Numbers of messages by state."""

    accepted: Required[int]
    delivered: Required[int]
    failed: Required[int]
    played: Required[int]
    queued: Required[int]
    read: Required[int]
    sent: Required[int]

class BatchMessage(TypedDict, total=False):
    """A message of a batch."""

    channel: Required["Channel"]
    createdTime: Required[str]
    ctId: Union[str, None]
    gstId: Required[str]
    receiver: Union[str, None]
    recipientUserId: Union[str, None]
    status: Required["DeliveryState"]
    deliveryTime: Union[str, None]
    errorCode: Union[str, None]
    errorCodeString: Union[str, None]
    readTime: Union[str, None]
    sendTime: Union[str, None]

class BatchName(TypedDict, total=False):
    """The name of a batch."""

    batchid: Required[str]
    batchref: Required[str]

class BatchProgress(TypedDict, total=False):
    """A batch and its progress."""

    acceptedCount: Required[int]
    batchId: Required[str]
    category: Union[str, None]
    channel: Required["Channel"]
    createdTime: Required[str]
    messageType: Required["MessageType"]
    rejectedCount: Required[int]
    requestId: Union[str, None]
    sender: Union[str, None]
    state: Required["BatchState"]
    templateName: Union[str, None]
    progress: Required["BatchCounts"]

class BatchReceipt(TypedDict, total=False):
    """The final state of a message."""

    cell: Required[str]
    identifier: str
    status: Required["BatchReceiptStatus"]
    time: Required[str]

class BatchReceipts(TypedDict, total=False):
    """The receipts of a batch."""

    batch: Required["BatchName"]
    receipt: list["BatchReceipt"]

class BatchReplies(TypedDict, total=False):
    """The replies to a batch."""

    batch: Required["BatchName"]
    reply: list["BatchReply"]

class BatchReply(TypedDict, total=False):
    """A reply of a subscriber."""

    cell: Required[str]
    identifier: str
    message: Required[str]
    time: Required[str]

class BatchResponse(TypedDict, total=False):
    """An answer of the batch gateway: the element `response`. `/docs/batch-sms.xsd` is the XML Schema."""

    batchsend: "BatchSend"
    deliveryreceipts: "BatchReceipts"
    notice: str
    previousxml: "PreviousBatchAnswer"
    replies: "BatchReplies"
    result: Required["BatchResult"]
    servicequery: "BatchService"

class BatchResult(TypedDict, total=False):
    """The result of a call."""

    completiontime: Required[str]
    status: Required["BatchStatus"]

class BatchSend(TypedDict, total=False):
    """A batch that was sent."""

    batch: Required["BatchName"]
    correctnumbers: Required[int]
    totalnumbers: Required[int]

class BatchService(TypedDict, total=False):
    """The answer to a query about the account."""

    charge: "BatchCharge"
    credits: int
    version: Required[str]

class BatchStatus(TypedDict, total=False):
    """The status. The text of the element explains the code."""

    code: Required[int]

class BindReport(TypedDict, total=False):
    """A connection to an SMS centre."""

    bind: Required[str]
    reason: Union[str, None]
    state: Required[str]

class BlockRecipients(TypedDict, total=False):
    """Recipients to add."""

    reason: Union[str, None]
    recipients: Union[list[str], None]

class BlockedRecipient(TypedDict, total=False):
    """A recipient on the blocklist."""

    createdTime: Required[str]
    reason: Union[str, None]
    recipient: Required[str]

class BusinessHours(TypedDict, total=False):
    """The business hours of a team."""

    holidays: Union[list["Holiday"], None]
    weekly: Required[list["OpenInterval"]]

class CallReport(TypedDict, total=False):
    """Calls to a provider with one outcome."""

    calls: Required[int]
    code: Union[str, None]
    outcome: Required[str]
    provider: Required[str]

class CannedReply(TypedDict, total=False):
    """A text that agents send often."""

    createdTime: Required[str]
    id: Required[str]
    shortcut: Required[str]
    teamId: Union[str, None]
    text: Required[str]
    updatedTime: Required[str]
    variables: Required[list[str]]

class CannedReplyDraft(TypedDict, total=False):
    """A new canned reply, or all fields of a changed one."""

    shortcut: Required[str]
    teamId: Union[str, None]
    text: Required[str]

class CannedReplyFilling(TypedDict, total=False):
    """The chat whose values a text gets."""

    participantId: Required[str]

class ChatAgent(TypedDict, total=False):
    """An agent."""

    email: Required[str]
    id: Required[str]
    name: Required[str]

class ChatAttachmentV1(TypedDict, total=False):
    """A file and its message."""

    channel: Union[str, None]
    file: Required[bytes]
    participantId: Required[str]
    tempId: Union[str, None]
    text: Union[str, None]

ChatCounts = TypedDict('ChatCounts', {'all': Required[int], 'closed': Required[int], 'missed-after-hours': Required[int], 'missed-agent': Required[int], 'my': Required[int], 'my-missed': Required[int], 'open': Required[int], 'team': Required[int], 'unassigned': Required[int]}, total=False)

class ChatCustomer(TypedDict, total=False):
    """The customer of a chat."""

    attributes: Required[dict[str, Any]]
    chats: Required[list["ChatParticipantResponse"]]
    contactId: Union[str, None]
    fullName: Union[str, None]
    tags: Required[list[str]]

class ChatFigures(TypedDict, total=False):
    """Figures of one group of chats."""

    afterHours: Required[int]
    closed: Required[int]
    firstResponse: Required["DurationFigures"]
    group: Required[str]
    key: Union[str, None]
    missed: Required[int]
    name: Union[str, None]
    opened: Required[int]
    ratedAverage: Required[int]
    ratedExcellent: Required[int]
    ratedPoor: Required[int]
    resolution: Required["DurationFigures"]
    waiting: Required["DurationFigures"]

class ChatLimit(TypedDict, total=False):
    """Chat limit of an agent."""

    chatLimit: Required[Union[int, None]]

class ChatLocation(TypedDict, total=False):
    """A location."""

    address: Union[str, None]
    latitude: Required[float]
    longitude: Required[float]
    name: Union[str, None]

class ChatMedia(TypedDict, total=False):
    """A stored file."""

    mediaType: Required["ChatMediaType"]
    mediaUrl: Required[str]
    mimeType: Required[str]
    size: Required[int]

class ChatMention(TypedDict, total=False):
    """A note that mentions the caller."""

    author: Required["DeskUser"]
    createdTime: Required[str]
    id: Required[str]
    mentions: Required[list["DeskUser"]]
    participantId: Required[str]
    text: Required[str]
    whisperTo: "DeskUser"
    customerName: str

class ChatMessageOriginal(TypedDict, total=False):
    """A message as the provider sent it."""

    beginning: str
    earlierVersions: Required[list["ChatMessageVersion"]]
    messageId: Required[str]
    original: dict[str, Any]

class ChatMessageVersion(TypedDict, total=False):
    """An earlier version of a message."""

    contentType: Required[str]
    replacedTime: Required[str]
    text: str
    writtenTime: Required[str]

class ChatNote(TypedDict, total=False):
    """An internal note of a chat. No customer and no plugin sees it."""

    author: Required["DeskUser"]
    createdTime: Required[str]
    id: Required[str]
    mentions: Required[list["DeskUser"]]
    participantId: Required[str]
    text: Required[str]
    whisperTo: "DeskUser"

class ChatParticipantResponse(TypedDict, total=False):
    """A chat of a customer. Fields without a value are left out."""

    afterHoursConversation: Required[bool]
    assignedTo: Union["ChatAgent", None]
    channel: Required["Channel"]
    chatBotConversation: Required[bool]
    conversationClosed: Required[bool]
    createdTime: Required[str]
    customerTrackingNumber: Required[str]
    id: Required[str]
    lastAssignedAgent: Union["ChatAgent", None]
    lastMessage: Union["ChatPreview", None]
    lastMessageTime: Required[str]
    missedConversation: Required[bool]
    name: Union[str, None]
    parentUserId: Union[str, None]
    phoneNumber: Union[str, None]
    queuedReason: Union[str, None]
    sendRatingWidget: Required[bool]
    tags: Required[list[str]]
    teamId: Union[str, None]
    teamName: Union[str, None]
    ticketId: Union[str, None]
    unreadCount: Required[int]
    userId: Union[str, None]
    username: Union[str, None]
    waitingSince: Union[str, None]
    whatsAppNumber: Union[str, None]

class ChatPreview(TypedDict, total=False):
    """A message in a list of chats."""

    contentType: Required["ContentType"]
    createdTime: Required[str]
    deleted: Union[bool, None]
    direction: Required["MessageDirection"]
    id: Required[str]
    sequenceNumber: Required[int]
    text: Union[str, None]

class ChatReaction(TypedDict, total=False):
    """A reaction to a message of the chat."""

    emoji: Union[str, None]
    externalMessageId: Required[str]

class ChatViewer(TypedDict, total=False):
    """A user who looks at a chat."""

    id: Required[str]
    name: str
    writing: Required[bool]

class ChatViewers(TypedDict, total=False):
    """The users who look at a chat."""

    viewers: Required[list["ChatViewer"]]

class ChatViewing(TypedDict, total=False):
    """The activity of the caller in a chat."""

    writing: bool

class ChatbotEventV1(TypedDict, total=False):
    """A message of a live chat, in version 1 (`chatbotPayloadVersion`)."""

    assignedAgentId: str
    assignedAgentName: str
    chatBotConversation: Required[bool]
    chatParticipantId: Required[str]
    clientRef: str
    conversationClosed: Required[bool]
    conversationMissed: Required[bool]
    conversationStatus: "ConversationStatus"
    ctId: str
    direction: Required["EventDirection"]
    eventId: Required[str]
    lastAssignedAgentId: str
    lastAssignedAgentName: str
    mediaUrl: str
    messageId: str
    messageText: str
    messageType: str
    receiverMsisdn: str
    senderMsisdn: str
    templateId: str
    templateName: str
    timestamp: Required[int]

class ChatbotEventV2(TypedDict, total=False):
    """A message of a live chat, in version 2 (`chatbotPayloadVersion`)."""

    assignedAgentId: str
    assignedAgentName: str
    chatBotConversation: Required[bool]
    chatParticipantId: Required[str]
    clientRef: str
    conversationClosed: Required[bool]
    conversationMissed: Required[bool]
    conversationStatus: "ConversationStatus"
    ctId: str
    direction: Required["EventDirection"]
    eventId: Required[str]
    lastAssignedAgentId: str
    lastAssignedAgentName: str
    mediaUrl: str
    messageId: str
    messageText: str
    messageType: str
    receiverMsisdn: str
    senderMsisdn: str
    templateId: str
    templateName: str
    timestamp: Required[int]
    quotedMessageId: str
    quotedText: str
    recipientUserId: str
    routedToAnotherTeam: bool
    senderUserId: str
    teamId: str
    teamName: str
    username: str

class ChatbotEventV2Fields(TypedDict, total=False):
    """The fields that version 2 adds."""

    quotedMessageId: str
    quotedText: str
    recipientUserId: str
    routedToAnotherTeam: bool
    senderUserId: str
    teamId: str
    teamName: str
    username: str

class CheckedPlugin(TypedDict, total=False):
    apiVersion: Required[str]
    configSchema: Any
    imports: Required[list[str]]
    notes: Required["ComponentNotes"]
    sha256: Required[str]
    size: Required[int]
    world: Required["World"]

class Client(TypedDict, total=False):
    """A client, without credentials."""

    atMostOnce: Required[bool]
    clientRef: Required[str]
    createdTime: Required[str]
    displayName: Required[str]
    parentRef: Union[str, None]
    popiaCompliant: Required[bool]
    ratingWidget: Required[bool]
    smsFallback: Required["SmsFallback"]
    test: bool
    timeZone: Required[str]

class ClientChange(TypedDict, total=False):
    """Changes of a client. Absent fields stay as they are."""

    atMostOnce: bool
    clientRef: str
    displayName: str
    ratingWidget: bool
    timeZone: str

class ClientLoad(TypedDict, total=False):
    """A client with its waiting work and its messages."""

    clientRef: Required[str]
    disabled: Required[bool]
    due: Required[int]
    failedMessages: Required[int]
    messages: Required[int]
    oldestDueSeconds: Union[int, None]
    waiting: Required[int]

class ClockAdvance(TypedDict, total=False):
    seconds: Required[int]

class ClockAdvanced(TypedDict, total=False):
    now: Required[str]

class ClosedConversation(TypedDict, total=False):
    """The result of a close call."""

    closeMessage: Required[str]
    closeStatus: Required[bool]
    tqrmtId: Union[str, None]

class ComponentNotes(TypedDict, total=False):
    """Notes that authors and their tools leave in a component. Patchbay does not check them."""

    authors: Union[str, None]
    description: Union[str, None]
    homepage: Union[str, None]
    licenses: list[str]
    revision: Union[str, None]
    source: Union[str, None]
    tools: list["ToolNote"]
    version: Union[str, None]

class ConnectionReport(TypedDict, total=False):
    """Connections to the database."""

    idle: Required[int]
    max: Required[int]
    used: Required[int]

class ConsoleSession(TypedDict, total=False):
    """A session key."""

    expiresTime: Required[str]
    key: Required[str]

class Contact(TypedDict, total=False):
    """A customer in the address book, with the name that the client gave."""

    attributes: Required[dict[str, Any]]
    createdTime: Required[str]
    customerUserId: Union[str, None]
    fullName: Required[str]
    id: Required[str]
    phoneNumber: Union[str, None]

class ContactAttribute(TypedDict, total=False):
    """An attribute that contacts can have."""

    choices: Required[list[str]]
    label: Required[str]
    name: Required[str]
    type: Required["ContactAttributeType"]

class ContactAttributeChanges(TypedDict, total=False):
    """New values of a contact. Other attributes stay as they are."""

    attributes: Required[dict[str, Any]]

class ContactAttributeDraft(TypedDict, total=False):
    """The definition of an attribute."""

    choices: list[str]
    label: Required[str]
    type: Required["ContactAttributeType"]

class ContactAttributeValues(TypedDict, total=False):
    """The values of a contact."""

    attributes: Required[dict[str, Any]]

class ContactAttributes(TypedDict, total=False):
    """The attributes that contacts can have, by name."""

    attributes: Required[list["ContactAttribute"]]

class ContactChange(TypedDict, total=False):
    """A new name for a contact. Nothing else changes."""

    fullName: Required[str]

class ContactImport(TypedDict, total=False):
    """A CSV text with contacts."""

    commit: bool
    csv: Required[str]

class ContactImportFault(TypedDict, total=False):
    """A finding about a row, which is not imported."""

    field: Required[str]
    line: Required[int]
    message: Required[str]

class ContactImportResult(TypedDict, total=False):
    """The effect of an import."""

    committed: Required[bool]
    created: Required[int]
    faults: Required[list["ContactImportFault"]]
    ignoredColumns: Required[list[str]]
    rows: Required[list["ContactImportRow"]]
    unchanged: Required[int]
    updated: Required[int]

class ContactImportRow(TypedDict, total=False):
    """A row, and its effect."""

    action: Required[str]
    fullName: Required[str]
    line: Required[int]
    phoneNumber: Required[str]
    tags: Required[list[str]]

class ContactMerge(TypedDict, total=False):
    """A contact that was merged into another one."""

    contactId: Required[str]
    createdTime: Required[str]
    fullName: Required[str]
    phoneNumber: Union[str, None]
    tagsAdded: Required[list[str]]
    userId: Required[str]
    userName: Union[str, None]

class ContactNote(TypedDict, total=False):
    """A note about the customer of a contact. No customer sees it."""

    authorId: Required[str]
    authorName: Union[str, None]
    createdTime: Required[str]
    id: Required[str]
    text: Required[str]

class ContactTags(TypedDict, total=False):
    """The tags of a contact."""

    tags: Required[list[str]]

class Conversation(TypedDict, total=False):
    """A conversation."""

    clientRef: Required[str]
    closedTime: str
    conversationId: Required[str]
    conversationState: Required["ConversationState"]
    createdTime: Required[str]
    customerUserId: Union[str, None]
    recipient: Union[str, None]
    sender: Required[str]

class ConversationAnalytics(TypedDict, total=False):
    """Messages that were submitted in the period, by their present state."""

    conversationDelivered: Required[int]
    conversationFailed: Required[int]
    conversationRead: Required[int]
    conversationSent: Required[int]
    conversationSubmitted: Required[int]

class ConversationMessage(TypedDict, total=False):
    """One content and its recipients. The recipients are in `recipientNumbers` or, by its other name, `recipients`."""

    components: Union[list["SendComponent"], None]
    conversationId: Union[str, None]
    messageText: Union[str, None]
    recipientNumbers: list["SendRecipient"]
    recipients: list["SendRecipient"]

class ConversationSend(TypedDict, total=False):
    """A send into long-lived conversations: up to 1,000 recipients in all its messages together
    (`limits.max_recipients`). Every field name may also be written in snake_case."""

    fallback: Union["SendFallback", None]
    messageType: Required["ConversationMessageType"]
    messages: Required[list["ConversationMessage"]]
    sender: Required[str]
    templateId: Union[str, None]
    templateName: Union[str, None]

class CreatedUser(TypedDict, total=False):
    """A new user with a temporary password."""

    available: Required[bool]
    chatLimit: Union[int, None]
    createdTime: Required[str]
    email: Required[str]
    id: Required[str]
    name: Required[str]
    role: Required["Role"]
    team: Union[str, None]
    teamId: Union[str, None]
    temporaryPassword: Required[str]

class CustomEvent(TypedDict, total=False):
    """The event and its chat: `participantId`, or `whatsAppNumberId` and `customer`."""

    customer: Union[str, None]
    name: Required[str]
    participantId: Union[str, None]
    payload: Any
    whatsAppNumberId: Union[str, None]

class DeskState(TypedDict, total=False):
    """The present state of the desk."""

    agents: Required[list["AgentState"]]
    missed: Required[int]
    missedAfterHours: Required[int]
    queue: Required["QueueState"]
    time: Required[str]

class DeskUser(TypedDict, total=False):
    """A user that a note names."""

    id: Required[str]
    name: str

class Difference(TypedDict, total=False):
    activationId: Required[str]
    id: Required[str]
    live: Required[Any]
    livePlugin: Required[str]
    liveVersion: Union[int, None]
    plugin: Required[str]
    shadow: Required[Any]
    subjectId: Required[str]
    time: Union[str, None]
    version: Union[int, None]

class Differences(TypedDict, total=False):
    """Differences of shadows, and the number of skipped comparisons."""

    content: Required[list["Difference"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]
    skipped: Required[list["SkippedComparisons"]]

class DiskReport(TypedDict, total=False):
    """The space of a file system."""

    freeBytes: Required[int]
    place: Required[str]
    sizeBytes: Required[int]

class DurationFigures(TypedDict, total=False):
    """Durations in seconds."""

    count: Required[int]
    mean: Union[float, None]
    median: Union[float, None]
    p90: Union[float, None]

class ErasedRows(TypedDict, total=False):
    """The erased rows of a table."""

    action: Required["ErasureAction"]
    reason: Union[str, None]
    rows: Required[int]
    table: Required[str]

class ErasedValues(TypedDict, total=False):
    """The result of an erasure."""

    erased: Required[int]

class ErasureCertificate(TypedDict, total=False):
    """The proof of an erasure, without personal data."""

    cancelledMessages: Required[int]
    complete: Required[bool]
    files: Required[int]
    finishedTime: Required[str]
    person: Required[str]
    startedTime: Required[str]
    tables: Required[list["ErasedRows"]]

class Error(TypedDict, total=False):
    """The body of every answer with status 400 or above."""

    details: Required[list["FieldFault"]]
    error: Required[str]
    message: Required[str]
    path: Required[str]
    requestId: Required[str]
    status: Required[int]
    timestamp: Required[str]

class FailedCallback(TypedDict, total=False):
    """An item of a callback that could not be read."""

    content: Required[str]
    id: Required[str]
    kind: Required["FailedCallbackKind"]
    provider: Required["CallbackProvider"]
    reason: Required[str]
    receivedTime: Required[str]
    sizeBytes: Required[int]

class FailureCode(TypedDict, total=False):
    """A code that a failed message can have."""

    cause: Required[str]
    cure: Required[str]
    errorCode: Required[str]
    source: Required["FailureCodeSource"]

class FieldFault(TypedDict, total=False):
    """One field at fault."""

    field: Required[str]
    message: Required[str]

class FilledCannedReply(TypedDict, total=False):
    """A text with the values of a chat."""

    missing: Required[list[str]]
    text: Required[str]

class FoundMessage(TypedDict, total=False):
    """A message that was found."""

    channel: Required["Channel"]
    createdTime: Required[str]
    ctId: Union[str, None]
    gstId: Required[str]
    receiver: Union[str, None]
    recipientUserId: Union[str, None]
    status: Required["DeliveryState"]
    batchId: Union[str, None]

class GatewayMessage(TypedDict, total=False):
    """A text with its recipients."""

    ctid: str
    messageText: Required[str]
    recipients: Required[list["GatewayRecipient"]]
    unicode: "GatewayFlag"

class GatewayReceipt(TypedDict, total=False):
    """The state of a message."""

    ctid: Union[str, None]
    gstid: Required[str]
    identifier: Union[str, None]
    statusCode: Required["GatewayMessageStatus"]
    statusDescription: Required[str]
    stid: Required[str]
    time: Required[str]
    to: Required[str]

class GatewayRecipient(TypedDict, total=False):
    """A recipient."""

    identifier: str
    to: Required[str]

class GatewaySend(TypedDict, total=False):
    """SMS to send: one text at the top to many recipients, or several texts in `messages`."""

    ctid: str
    messageText: str
    messages: list["GatewayMessage"]
    recipients: list["GatewayRecipient"]
    settings: "GatewaySettings"
    unicode: "GatewayFlag"

class GatewaySettings(TypedDict, total=False):
    """Options for all messages of a request."""

    dsm: "GatewayFlag"
    receiptCallBackURL: str
    replyCallBackMethod: "ReplyMethod"
    replyCallBackURL: str
    scheduledSmsDate: str

class GatewayTracking(TypedDict, total=False):
    """The messages to track. At least one field is needed."""

    ctid: str
    fromDate: str
    gstid: str
    gstids: list[str]
    sentDate: str
    showfinalstatus: "GatewayFlag"
    stid: str
    toDate: str

class GeneratedKey(TypedDict, total=False):
    token: Required[str]

class HeardWebhooks(TypedDict, total=False):
    """Webhooks for a listener."""

    last: Required[int]
    webhooks: Required[list["SignedWebhook"]]

class Holiday(TypedDict, total=False):
    """A day on which the team is closed."""

    date: Required[str]
    name: Union[str, None]

class Inbox(TypedDict, total=False):
    """A number, page or bot of the client."""

    address: Required[str]
    channel: Required["InboxChannel"]
    createdTime: Required[str]
    disabledTime: str
    failedCall: "InboxFailedCall"
    id: Required[str]
    kind: Required["InboxKind"]
    name: str
    openWindows: int
    quality: "NumberQuality"
    refusedToken: "InboxTokenRefusal"
    test: bool
    tier: "MessagingTier"

class InboxFailedCall(TypedDict, total=False):
    """A failed call that delays the messages of an inbox."""

    nextAttemptTime: str
    reason: Required[str]

class InboxTokenRefusal(TypedDict, total=False):
    """A refusal of a token by the provider."""

    code: Required[str]
    refusedTime: Required[str]

class IncomingMessage(TypedDict, total=False):
    """A customer wrote to a business number. Fields that do not belong to the content are absent."""

    address: str
    bodyParameters: dict[str, str]
    buttonPayload: str
    buttonText: str
    caption: str
    conversationId: str
    conversationStatusCode: str
    conversationStatusMessage: str
    cost: str
    ctId: str
    errorCode: str
    errorCodeString: str
    fileExtension: str
    gstId: str
    label: str
    latitude: str
    longitude: str
    mediaUrl: str
    messageContentType: Required["IncomingContent"]
    messageType: "BillingModel"
    participantId: str
    profileName: str
    receiver: Required[str]
    requestId: str
    sender: str
    senderUserId: str
    sentTime: str
    status: str
    templateId: str
    templateName: str
    text: str
    tqrmtId: str
    username: str

class Invocation(TypedDict, total=False):
    activationId: Union[str, None]
    consequence: Union[str, None]
    durationMicros: Required[int]
    error: Union[str, None]
    event: Union[str, None]
    id: Required[str]
    logs: Required[list[str]]
    mode: Required[str]
    outcome: Required["PluginOutcome"]
    peakMemoryBytes: Required[int]
    subjectId: Union[str, None]
    time: Union[str, None]
    version: Union[int, None]
    world: Required["World"]

class Invoke(TypedDict, total=False):
    config: Union[dict[str, Any], None]
    event: Union[dict[str, Any], None]
    session: Union[dict[str, Any], None]
    version: Union[int, None]

class InvokeError(TypedDict, total=False):
    """The failure of a call."""

    kind: Required["PluginOutcome"]
    message: Required[str]

class InvokeLog(TypedDict, total=False):
    """One line of a log."""

    level: Required[str]
    message: Required[str]

class InvokeResult(TypedDict, total=False):
    """The answer of the plugin: one of the first four fields, by its world, or the failure."""

    actions: Union[list[Any], None]
    decision: Any
    durationMicros: Required[int]
    error: Union["InvokeError", None]
    logs: Required[list["InvokeLog"]]
    payload: Any
    peakMemoryBytes: Required[int]
    processorMicros: Required[int]
    route: Any
    stderr: Union[str, None]
    writes: Union[list[Any], None]

class KeyValue(TypedDict, total=False):
    """One value: in `value` if it is text, otherwise in `valueBase64`."""

    expiresTime: Union[str, None]
    key: Required[str]
    value: Union[str, None]
    valueBase64: Union[str, None]

class LaneStatus(TypedDict, total=False):
    """A lane with waiting rows, and the reason."""

    address: Union[str, None]
    clientRef: Required[str]
    due: Required[int]
    lane: Required[str]
    oldestDueSeconds: Union[int, None]
    reason: Required[str]
    state: Required["LaneWork"]
    until: Union["ReportTime", None]
    waiting: Required[int]

class ListedMessage(TypedDict, total=False):
    """A message of a list."""

    channel: Required["Channel"]
    createdTime: Required[str]
    ctId: Union[str, None]
    gstId: Required[str]
    receiver: Union[str, None]
    recipientUserId: Union[str, None]
    status: Required["DeliveryState"]

class LiteNumber(TypedDict, total=False):
    """A Lite number."""

    id: Required[str]
    number: Required[str]
    whatsAppProvider: Required["WhatsAppProvider"]

class LiteQrCode(TypedDict, total=False):
    """A QR code."""

    expiresTime: Required[str]
    qr: Required[str]

class LiteSession(TypedDict, total=False):
    """The session of a Lite number."""

    bannedUntil: Union[str, None]
    changedTime: Union[str, None]
    paired: Required[bool]
    qrWaits: Required[bool]
    status: Required[str]
    statusType: Union["SessionState", None]
    wanted: Required["WantedSession"]
    whatsAppNumber: Required["LiteNumber"]

class LiteSessions(TypedDict, total=False):
    """Wanted sessions of WhatsApp Lite."""

    connected: Required[int]
    connecting: Required[int]
    disconnected: Required[int]

class LiveTicket(TypedDict, total=False):
    """A ticket."""

    ticket: Required[str]

class LoggedRequest(TypedDict, total=False):
    """A request."""

    body: str
    durationMillis: Required[float]
    keyStart: Required[str]
    method: Required[str]
    path: Required[str]
    requestId: Required[str]
    status: Required[int]
    test: bool
    time: Required[str]
    userId: Required[str]

class Login(TypedDict, total=False):
    clientRef: Required[str]
    email: Required[str]
    password: Required[str]

class MediaForm(TypedDict, total=False):
    """The form of an upload."""

    file: Required[bytes]

class MessageProcessing(TypedDict, total=False):
    """Pace and hours of a number."""

    batchSize: Union[int, None]
    dailyEnd: Union[str, None]
    dailyStart: Union[str, None]
    throttleDelayMillis: Union[int, None]

class MessageResponse(TypedDict, total=False):
    """A message of a chat. Fields without a value are left out."""

    afterHours: Union[bool, None]
    buttonPayload: Union[str, None]
    channel: Required["Channel"]
    contentType: Required["ContentType"]
    createdTime: Required[str]
    ctId: Union[str, None]
    deleted: Union[bool, None]
    deletedTime: Union[str, None]
    direction: Required["MessageDirection"]
    edited: Union[bool, None]
    editedTime: Union[str, None]
    errorCode: Union[str, None]
    errorCodeString: Union[str, None]
    facebookMessageId: Union[str, None]
    fileExtension: Union[str, None]
    gstId: Required[str]
    id: Required[str]
    latitude: Union[float, None]
    longitude: Union[float, None]
    mediaUrl: Union[str, None]
    messageOwner: Required[str]
    participantId: Required[str]
    played: Union[bool, None]
    playedTime: Union[str, None]
    quotedExternalMessageId: Union[str, None]
    quotedMessageId: Union[str, None]
    quotedText: Union[str, None]
    reactionTo: Union[str, None]
    receiver: Union[str, None]
    referral: Union["ReferralResponse", None]
    sender: Union[str, None]
    sequenceNumber: Required[int]
    status: Union["DeliveryState", None]
    tempId: Union[str, None]
    text: Union[str, None]
    userOriginated: Required[bool]
    whatsAppMessageId: Union[str, None]

class MessageStatus(TypedDict, total=False):
    """The state of a sent message changed. States come in any order and each at most once; `FAILED` is final."""

    channel: "SmsReport"
    conversationCtId: str
    conversationId: str
    cost: str
    ctId: str
    deliveryTime: str
    errorCode: str
    errorCodeString: str
    gstId: Required[str]
    participantId: str
    playedTime: str
    readTime: str
    receiver: str
    recipientUserId: str
    requestId: str
    sendTime: str
    sender: Required[str]
    status: Required["ReportedState"]
    tqrmtId: str

class MessageStory(TypedDict, total=False):
    """A message with all its events."""

    batchId: Union[str, None]
    category: Union[str, None]
    channel: Required["Channel"]
    ctId: Union[str, None]
    dueTime: Union[str, None]
    gstId: Required[str]
    messageType: Union["MessageType", None]
    receiver: Union[str, None]
    recipientUserId: Union[str, None]
    requestId: Union[str, None]
    sender: Union[str, None]
    status: Required["DeliveryState"]
    templateName: Union[str, None]
    timeline: Required[list["MessageStoryEntry"]]

class MessageStoryEntry(TypedDict, total=False):
    """An event in the story of a message. Fields that do not apply to its `kind` are absent."""

    ambiguous: Union[bool, None]
    attempt: Union[int, None]
    batchId: Union[str, None]
    channel: Union["Channel", None]
    durationMillis: Union[int, None]
    errorCode: Union[str, None]
    errorCodeString: Union[str, None]
    kind: Required["StoryEventKind"]
    leg: Union[int, None]
    outcome: Union[str, None]
    parts: Union[list["MessageStoryPart"], None]
    plugin: Union[str, None]
    providerId: Union[str, None]
    providerTime: Union[str, None]
    reason: Union[str, None]
    receiver: Union[str, None]
    requestId: Union[str, None]
    route: Union["MessageStoryRoute", None]
    sha256: Union[str, None]
    status: Union["DeliveryState", None]
    statusCode: Union[int, None]
    time: Required[str]
    url: Union[str, None]
    version: Union[int, None]
    webhookId: Union[str, None]

class MessageStoryPart(TypedDict, total=False):
    """A part of an SMS."""

    part: Required[int]
    providerId: Required[str]
    status: Required[str]

class MessageStoryRoute(TypedDict, total=False):
    """The decision of routers about an SMS. An absent field means that no router changed it."""

    bind: Union[str, None]
    priority: Union[int, None]
    rewritten: Required[bool]
    routers: Required[list["MessageStoryRouter"]]
    source: Union[str, None]
    validitySeconds: Union[int, None]

class MessageStoryRouter(TypedDict, total=False):
    """A router that was asked about an SMS."""

    operator: Required[bool]
    plugin: Required[str]
    reason: Union[str, None]
    sha256: Union[str, None]
    version: Union[int, None]

class MessagingTier(TypedDict, total=False):
    """How many different customers a number may send templates to in 24 hours."""

    limit: int
    name: Required[str]
    reportedTime: Required[str]
    used: int

class NewChatNote(TypedDict, total=False):
    """A new note."""

    mentions: list[str]
    text: Required[str]
    whisper: bool

class NewClient(TypedDict, total=False):
    """A new client."""

    clientRef: Required[str]
    displayName: Required[str]

class NewContact(TypedDict, total=False):
    """A new contact."""

    fullName: Required[str]
    phoneNumber: Required[str]

class NewContactMerge(TypedDict, total=False):
    """The contact to merge."""

    contactId: Required[str]

class NewContactNote(TypedDict, total=False):
    """A new note about a customer."""

    text: Required[str]

class NewConversation(TypedDict, total=False):
    """The customer of a conversation: `recipient` or, if it is absent, `customerUserId`."""

    customerUserId: Union[str, None]
    recipient: Union[str, None]
    sender: Required[str]

class NewPluginSigningKey(TypedDict, total=False):
    name: Required[str]
    publicKey: Required[str]

class NewSession(TypedDict, total=False):
    """A new session with its key."""

    endsAt: Required[str]
    expiresAt: Required[str]
    id: Required[str]
    sessionKey: Required[str]
    user: Required["SessionUser"]

class NewTestKey(TypedDict, total=False):
    createdTime: Required[str]
    id: Required[str]
    name: Required[str]
    test: Required[bool]
    apiKey: Required[str]

class NewUser(TypedDict, total=False):
    """A new user."""

    email: Required[str]
    name: Required[str]
    role: Required["Role"]
    team: Union[str, None]

class NodeStatus(TypedDict, total=False):
    """A process with background work."""

    id: Required[str]
    lanes: Required[int]
    startedTime: Required["ReportTime"]

class NumberQuality(TypedDict, total=False):
    """The quality of a number at the provider."""

    rating: "NumberRating"
    readTime: str
    status: "NumberStatus"

class NumberRegistration(TypedDict, total=False):
    """A number to register."""

    hostingType: Union["HostingType", None]
    number: Required[str]

class NumberRow(TypedDict, total=False):
    """The link between client and number, with the number."""

    billingModel: "LiteBillingModel"
    hostingType: "HostingType"
    id: Required[str]
    test: bool
    whatsAppNumber: Required["WhatsAppNumber"]

class OciSource(TypedDict, total=False):
    """The artifact of an OCI registry that contains the component."""

    annotations: Required[dict[str, str]]
    reference: Required[str]

OpenInterval = TypedDict('OpenInterval', {'day': Required["DayOfWeek"], 'from': Required[str], 'to': Required[str]}, total=False)

class OpenedConversation(TypedDict, total=False):
    """A conversation that was opened or found."""

    clientRef: Required[str]
    closedTime: str
    conversationId: Required[str]
    conversationState: Required["ConversationState"]
    createdTime: Required[str]
    customerUserId: Union[str, None]
    recipient: Union[str, None]
    sender: Required[str]
    conversationStatusCode: Required[str]
    conversationStatusMessage: Required[str]

class OpenidBegin(TypedDict, total=False):
    """A client to log in to."""

    clientRef: Required[str]

class OpenidLogin(TypedDict, total=False):
    """A login that waits for a person at the provider."""

    secret: Required[str]
    url: Required[str]

class OpenidOffer(TypedDict, total=False):
    """The login by OpenID Connect that this server offers."""

    enabled: Required[bool]
    name: Union[str, None]

class OpenidReturn(TypedDict, total=False):
    """The values with which a person comes back from the provider."""

    code: Required[str]
    secret: Required[str]
    state: Required[str]

class OpenidRule(TypedDict, total=False):
    """The rule of a client for logins by OpenID Connect."""

    emailDomains: Required[list[str]]
    mode: Required["OpenidMode"]
    passwordLogin: Required[bool]
    role: Union["Role", None]

class OpenidRuleChange(TypedDict, total=False):
    """A new rule of a client for logins by OpenID Connect."""

    emailDomains: list[str]
    mode: Required["OpenidMode"]
    passwordLogin: bool
    role: Union["Role", None]

class OutcomeCount(TypedDict, total=False):
    """Calls with one outcome."""

    calls: Required[int]
    code: Union[str, None]
    outcome: Required[str]

class OwnPassword(TypedDict, total=False):
    """A new password."""

    currentPassword: Required[str]
    newPassword: Required[str]

class PageAuditEntry(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["AuditEntry"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageBatch(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Batch"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageBatchMessage(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["BatchMessage"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageBlockedRecipient(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["BlockedRecipient"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageCannedReply(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["CannedReply"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageChatMention(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["ChatMention"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageChatNote(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["ChatNote"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageChatParticipantResponse(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["ChatParticipantResponse"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageClient(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Client"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageContact(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Contact"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageContactMerge(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["ContactMerge"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageContactNote(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["ContactNote"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageConversation(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Conversation"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageDifference(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Difference"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageFailedCallback(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["FailedCallback"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageFailureCode(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["FailureCode"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageFoundMessage(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["FoundMessage"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageInbox(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Inbox"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageInvocation(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Invocation"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageKeyValue(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["KeyValue"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageLoggedRequest(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["LoggedRequest"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageNumberRow(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["NumberRow"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PagePlugin(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Plugin"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PagePluginEvent(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["PluginEvent"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageRecordedCall(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["RecordedCall"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageRoutingDecision(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["RoutingDecision"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageStoredWebhookConfiguration(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["StoredWebhookConfiguration"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageTeam(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Team"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageTemplate(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Template"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageTestKey(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["TestKey"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageTicket(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["Ticket"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageUser(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["User"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageWebSite(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["WebSite"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PageWebhookAttempt(TypedDict, total=False):
    """One page of a list."""

    content: Required[list["WebhookAttempt"]]
    first: Required[bool]
    last: Required[bool]
    number: Required[int]
    size: Required[int]
    totalElements: Required[int]
    totalPages: Required[int]

class PartnerEvent(TypedDict, total=False):
    """An event of the provider's platform or of Patchbay. `eventType` decides the other fields."""

    category: str
    channelStatus: "ChannelStatus"
    eventType: Required[str]
    messagingLimitTier: str
    newNumber: str
    newQualityScore: "Quality"
    oldNumber: str
    plugin: str
    pluginVersion: str
    preferenceValue: str
    previousQualityScore: "Quality"
    qualityRating: "Quality"
    reason: str
    rejectedReason: str
    templateElement: "TemplateElement"
    templateLanguage: str
    templateName: str
    templateStatus: "TemplateApproval"
    timestamp: Required[int]
    url: str
    waId: str
    webhookId: str
    webhookType: "WebhookType"
    whatsAppNumber: str

class PasswordChange(TypedDict, total=False):
    clientRef: Required[str]
    email: Required[str]
    newPassword: Required[str]
    password: Required[str]

PeriodFigures = TypedDict('PeriodFigures', {'figures': Required[list["ChatFigures"]], 'from': Required[str], 'timeZone': Required[str], 'to': Required[str]}, total=False)

class Person(TypedDict, total=False):
    """A customer: by phone number or by user id, not by both."""

    customerUserId: Union[str, None]
    phoneNumber: Union[str, None]

class PersonAddress(TypedDict, total=False):
    """An address of a customer."""

    kind: Required["AddressKind"]
    value: Required[str]

class PersonErasure(TypedDict, total=False):
    """A customer whose data are erased: by phone number or by user id, not by both."""

    customerUserId: Union[str, None]
    phoneNumber: Union[str, None]
    withStops: Union[bool, None]

class PersonExport(TypedDict, total=False):
    """All data of a customer."""

    addresses: Required[list["PersonAddress"]]
    exportedTime: Required[str]
    files: Required[list["PersonFile"]]
    person: Required[str]
    tables: Required[dict[str, Any]]

class PersonFile(TypedDict, total=False):
    """A file of a customer."""

    id: Required[str]
    url: Required[str]

class Plugin(TypedDict, total=False):
    """A plugin and its newest version. Also the answer to an upload."""

    activations: Union[list["Activation"], None]
    apiVersion: Union[str, None]
    configSchema: Any
    createdTime: Union[str, None]
    imports: Required[list[str]]
    lastError: Union[str, None]
    name: Required[str]
    sha256: Required[str]
    signature: Union["PluginSignature", None]
    size: Required[int]
    source: Required["PluginSource"]
    state: Required["PluginState"]
    version: Required[int]
    world: Union["World", None]

class PluginDetail(TypedDict, total=False):
    """A plugin with its versions, newest first."""

    activations: Union[list["Activation"], None]
    apiVersion: Union[str, None]
    configSchema: Any
    createdTime: Union[str, None]
    imports: Required[list[str]]
    lastError: Union[str, None]
    name: Required[str]
    sha256: Required[str]
    signature: Union["PluginSignature", None]
    size: Required[int]
    source: Required["PluginSource"]
    state: Required["PluginState"]
    version: Required[int]
    world: Union["World", None]
    totalVersions: Required[int]
    versions: Required[list["PluginVersion"]]

class PluginEvent(TypedDict, total=False):
    id: Required[str]
    kind: Required[str]
    plugin: Required[str]
    reason: Union[str, None]
    time: Required[str]
    version: Union[int, None]

class PluginForm(TypedDict, total=False):
    """The form of an upload."""

    file: Required[bytes]
    manifest: str
    signature: str
    source: str

class PluginHealth(TypedDict, total=False):
    activations: Required[list["ActivationHealth"]]
    since: Required[str]

class PluginHttpLimits(TypedDict, total=False):
    """Limits of the HTTP requests of a plugin, at most those of the operator. An absent limit is that of the
    operator."""

    requests: Union[int, None]
    responseBytes: Union[int, None]
    timeoutMs: Union[int, None]

class PluginLoad(TypedDict, total=False):
    """A plugin of a client, with its calls in the last hour."""

    calls: Required[int]
    clientRef: Required[str]
    condition: Required["PluginCondition"]
    failures: Required[int]
    meanMicros: Union[int, None]
    p95Micros: Union[int, None]
    plugin: Required[str]
    reason: Union[str, None]
    since: Union["ReportTime", None]
    suspendedIn: Required[int]
    until: Union["ReportTime", None]

class PluginOrigin(TypedDict, total=False):
    """The origin of a version."""

    notes: Required["ComponentNotes"]
    source: Union["OciSource", None]

class PluginScope(TypedDict, total=False):
    """The activation to change."""

    whatsAppNumberId: Union[str, None]

class PluginSecret(TypedDict, total=False):
    """A shared secret without its value."""

    createdTime: Required[str]
    name: Required[str]
    plugins: Required[list[str]]
    usedBy: Required[list["PluginSecretUse"]]
    valueTime: Required[str]

class PluginSecretChange(TypedDict, total=False):
    """The value of a secret, and the plugins that may use it."""

    plugins: Union[list[str], None]
    value: Union[str, None]

class PluginSecretUse(TypedDict, total=False):
    """An activation that uses a shared secret."""

    mode: Required["Mode"]
    plugin: Required[str]
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]
    world: Required["World"]

class PluginSecrets(TypedDict, total=False):
    """The shared secrets of the client, by name."""

    secrets: Required[list["PluginSecret"]]

class PluginSignature(TypedDict, total=False):
    """The signature of a version by minisign."""

    comment: Required[str]
    fingerprint: Required[str]
    key: Required[str]
    keyId: Required[str]
    text: Required[str]

class PluginSigningKey(TypedDict, total=False):
    """A public key of minisign."""

    createdBy: Union[str, None]
    createdTime: Required[str]
    fingerprint: Required[str]
    keyId: Required[str]
    name: Required[str]
    publicKey: Required[str]

class PluginSuspension(TypedDict, total=False):
    processes: Required[int]
    reason: Required[str]
    since: Required[str]
    until: Required[str]

class PluginTrust(TypedDict, total=False):
    """The policy and the keys for uploads."""

    keys: Required[list["PluginSigningKey"]]
    signedOnly: Required[bool]

class PluginTrustChange(TypedDict, total=False):
    signedOnly: Required[bool]

class PluginUpload(TypedDict, total=False):
    """An upload in the background."""

    createdTime: Required[str]
    id: Required[str]
    name: Required[str]
    plugin: Union["Plugin", None]
    refused: Union["RefusedUpload", None]
    size: Required[int]
    state: Required["PluginUploadState"]

class PluginVersion(TypedDict, total=False):
    apiVersion: Required[str]
    configSchema: Any
    createdBy: Union[str, None]
    createdTime: Required[str]
    imports: Required[list[str]]
    origin: Union["PluginOrigin", None]
    sha256: Required[str]
    signature: Union["PluginSignature", None]
    size: Required[int]
    state: Required["PluginState"]
    version: Required[int]

class PopiaCompliance(TypedDict, total=False):
    """Masking of customers' phone numbers and names."""

    popiaCompliant: Required[bool]

class PreviousBatchAnswer(TypedDict, total=False):
    """An earlier answer."""

    response: Required["BatchResponse"]

class ProcessReport(TypedDict, total=False):
    """Fields that another version does not know are left out or read as empty."""

    calls: list["CallReport"]
    commit: Required[str]
    databaseConnections: Required["ConnectionReport"]
    disks: list["DiskReport"]
    host: Union[str, None]
    lastSuccessTimes: dict[str, "ReportTime"]
    listen: Union[str, None]
    openFiles: Union[int, None]
    openFilesMax: Union[int, None]
    pid: Required[int]
    residentBytes: Union[int, None]
    role: Required["ProcessRole"]
    smppBinds: list["BindReport"]
    startedTime: Required["ReportTime"]
    stopped: Required[bool]
    suspendedPlugins: list["SuspensionReport"]
    version: Required[str]
    waits: list["WaitReport"]

class ProcessStatus(TypedDict, total=False):
    """A process and its last report."""

    calls: list["CallReport"]
    commit: Required[str]
    databaseConnections: Required["ConnectionReport"]
    disks: list["DiskReport"]
    host: Union[str, None]
    lastSuccessTimes: dict[str, "ReportTime"]
    listen: Union[str, None]
    openFiles: Union[int, None]
    openFilesMax: Union[int, None]
    pid: Required[int]
    residentBytes: Union[int, None]
    role: Required["ProcessRole"]
    smppBinds: list["BindReport"]
    startedTime: Required["ReportTime"]
    stopped: Required[bool]
    suspendedPlugins: list["SuspensionReport"]
    version: Required[str]
    waits: list["WaitReport"]
    id: Required[str]
    reportedTime: Required["ReportTime"]
    state: Required["ProcessState"]

class ProviderCalls(TypedDict, total=False):
    """The calls to a provider by all running processes since their start."""

    calls: Required[list["OutcomeCount"]]
    lastSuccessTime: Union["ReportTime", None]
    provider: Required[str]

class ProviderFailures(TypedDict, total=False):
    """Failed calls over one channel in the last hour."""

    calls: Required[int]
    channel: Required[str]
    errorCode: Union[str, None]
    lastTime: Required["ReportTime"]
    outcome: Required[str]

class QueueState(TypedDict, total=False):
    """Waiting chats."""

    length: Required[int]
    longestWait: Required[int]
    teams: Required[list["TeamQueueState"]]

class QueueStatus(TypedDict, total=False):
    """A queue."""

    due: Required[int]
    lanes: Required[int]
    name: Required[str]
    oldestDueSeconds: Union[int, None]
    oldestLanes: Required[list["LaneStatus"]]
    waiting: Required[int]

class RaisedEvent(TypedDict, total=False):
    """The event as the chatbot gets it."""

    id: Required[str]

class Rate(TypedDict, total=False):
    """The cost of a message of a category to or from a country."""

    amount: Required[str]
    category: Required["RateCategory"]
    country: Required[str]
    currency: Required[str]

class RateCard(TypedDict, total=False):
    """The cost of messages. A message without a matching rate has no cost."""

    rates: Required[list["Rate"]]

class Ready(TypedDict, total=False):
    checks: Required["ReadyChecks"]
    status: Required["ReadyStatus"]

class ReadyChecks(TypedDict, total=False):
    database: Required[bool]
    migrations: Required[bool]
    plugins: Required[bool]
    stopping: Required[bool]
    writable: Required[bool]

class RecipientsBlocked(TypedDict, total=False):
    """The number of recipients that were added."""

    added: Required[int]

class RecordedCall(TypedDict, total=False):
    """A recorded call."""

    activationId: Required[str]
    id: Required[str]
    plugin: Required[str]
    recording: Required[Any]
    subjectId: Required[str]
    time: Union[str, None]
    version: Union[int, None]
    world: Required["World"]

class RecordingTerms(TypedDict, total=False):
    maxBytes: Required[int]
    maxCalls: Required[int]
    sample: Required[float]
    stopReason: Union[str, None]
    until: Required[str]

class ReferralResponse(TypedDict, total=False):
    """The origin of a customer, in the terms of the provider. Fields without a value are left out."""

    body: Union[str, None]
    catalogId: Union[str, None]
    ctwaClid: Union[str, None]
    headline: Union[str, None]
    mediaType: Union[str, None]
    mediaUrl: Union[str, None]
    productId: Union[str, None]
    ref: Union[str, None]
    sourceId: Union[str, None]
    sourceType: Union[str, None]
    sourceUrl: Union[str, None]

class RefusedTokenStatus(TypedDict, total=False):
    """An inbox whose token a provider refuses."""

    address: Union[str, None]
    clientRef: Required[str]
    code: Required[str]
    inboxId: Required[str]
    kind: Required[str]
    process: Required[str]
    refusedTime: Required["ReportTime"]

class RefusedUpload(TypedDict, total=False):
    """The answer that the upload would have got without `respond-async`."""

    details: Required[list[dict[str, Any]]]
    message: Required[str]
    retryAfterSeconds: Union[int, None]
    status: Required[int]

class RejectedRecipient(TypedDict, total=False):
    """A rejected recipient."""

    number: Required[str]
    reason: Required[str]

class ReleaseChat(TypedDict, total=False):
    """The chat: `participantId`, or `whatsAppNumberId` and `customer`."""

    customer: Union[str, None]
    participantId: Union[str, None]
    whatsAppNumberId: Union[str, None]

class ReleasedChat(TypedDict, total=False):
    """A chat that is the chatbot's."""

    closed: Required[bool]
    participantId: Required[str]

class RemainingTime(TypedDict, total=False):
    """The remaining time of a conversation."""

    conversationId: Required[str]
    remainingTime: Required[int]

class ReplacedPlugin(TypedDict, total=False):
    """The plugin that an activation replaced."""

    plugin: Required[str]
    version: Union[int, None]

class Replay(TypedDict, total=False):
    limit: Union[int, None]
    version: Union[int, None]

class ReplayReport(TypedDict, total=False):
    different: Required[list["ReplayedDifference"]]
    identical: Required[int]
    perSecond: Required[float]
    replayed: Required[int]

class ReplayedDifference(TypedDict, total=False):
    """A call with another outcome."""

    difference: Required[str]
    now: Any
    recordingId: Required[str]
    subjectId: Required[str]
    then: Any

class RollBack(TypedDict, total=False):
    """The wanted rollback."""

    preview: bool
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]

class RollbackResult(TypedDict, total=False):
    """The activation that is in force after a rollback."""

    activatedTime: Required[str]
    allowedHosts: Required[list[str]]
    config: Required[dict[str, Any]]
    errorThreshold: Required[int]
    httpLimits: Required["PluginHttpLimits"]
    id: Required[str]
    minimumCalls: Required[int]
    mode: Required["Mode"]
    percent: Required[int]
    plugin: Required[str]
    recording: Union["RecordingTerms", None]
    secrets: Required[list[str]]
    version: Union[int, None]
    whatsAppNumberId: Union[str, None]
    world: Required["World"]
    before: Union["Activation", None]

class RoutingDecision(TypedDict, total=False):
    fallback: Required[bool]
    id: Required[str]
    participantId: Required[str]
    plugin: Required[str]
    reason: Required[str]
    target: Required["RoutingTarget"]
    time: Union[str, None]
    version: Union[int, None]
    whatsAppNumberId: Required[str]

class RoutingTarget(TypedDict, total=False):
    """A target in the form of router plugins."""

    id: Union[str, None]
    name: Union[str, None]
    type: Required[str]

class Send(TypedDict, total=False):
    """A send: up to 1,000 recipients in all its messages together (`limits.max_recipients`)."""

    fallback: Union["SendFallback", None]
    messageType: Required["SendMessageType"]
    messages: Required[list["SendMessage"]]
    sender: Required[str]
    templateId: Union[str, None]
    templateName: Union[str, None]

class SendAccepted(TypedDict, total=False):
    """The answer to an accepted send."""

    acceptedCount: Required[int]
    acceptedRecipients: Required[list["AcceptedRecipient"]]
    batchId: Required[str]
    channel: Required["SendChannel"]
    message: Required[str]
    rejectedCount: Required[int]
    rejectedRecipients: Required[list["RejectedRecipient"]]
    reqObject: Required[dict[str, Any]]
    requestId: Required[str]
    response: Required[str]
    status: Required["SendStatus"]
    timestamp: Required[str]

class SendCard(TypedDict, total=False):
    """One card of a carousel."""

    components: Union[list["SendComponent"], None]

class SendChatMessage(TypedDict, total=False):
    """A message to send."""

    channel: Required["Channel"]
    ctId: Union[str, None]
    location: Union["ChatLocation", None]
    mediaUrl: Union[str, None]
    participantId: Required[str]
    quotedExternalMessageId: Union[str, None]
    reaction: Union["ChatReaction", None]
    tempId: Union[str, None]
    text: Union[str, None]

class SendChatTemplate(TypedDict, total=False):
    """A template to send in a chat."""

    components: list["SendComponent"]
    ctId: Union[str, None]
    tempId: Union[str, None]
    templateId: Required[str]
    templateName: Required[str]

class SendCheck(TypedDict, total=False):
    """The answer that a send would get now."""

    acceptedCount: Required[int]
    countedRecipients: Required[int]
    rejectedCount: Required[int]
    rejectedRecipients: Required[list["RejectedRecipient"]]

class SendComponent(TypedDict, total=False):
    """The values of one component of a template."""

    cards: Union[list["SendCard"], None]
    conversationParameters: Union[list["SendConversationParameter"], None]
    filename: Union[str, None]
    format: Union["SendHeaderFormat", None]
    parameters: Union[list[str], None]
    type: Required["SendComponentType"]
    url: Union[str, None]

class SendConversationParameter(TypedDict, total=False):
    """The effect of a tap on a quick reply."""

    conversationState: Union["SendConversationState", None]
    payload: Required[str]

class SendFallback(TypedDict, total=False):
    """SMS fallback for recipients who are not on WhatsApp."""

    sendFallback: Required[bool]
    text: Union[str, None]
    unicode: Union[bool, None]

class SendMedia(TypedDict, total=False):
    """An attachment."""

    caption: Union[str, None]
    filename: Union[str, None]
    type: Union[str, None]
    url: Required[str]

class SendMessage(TypedDict, total=False):
    """One content and its recipients."""

    components: Union[list["SendComponent"], None]
    media: Union["SendMedia", None]
    messageText: Union[str, None]
    recipients: Required[list["SendRecipient"]]

class SendRecipient(TypedDict, total=False):
    """One recipient: `to` or, if it is absent, `customerUserId`."""

    ctId: Union[str, None]
    customerUserId: Union[str, None]
    gstId: Union[str, None]
    to: Union[str, None]

class Session(TypedDict, total=False):
    """A session, without its key."""

    createdAt: Required[str]
    current: Required[bool]
    endsAt: Required[str]
    expiresAt: Required[str]
    id: Required[str]
    lastUsedAt: Required[str]

class SessionStatus(TypedDict, total=False):
    """The connection of a WhatsApp Lite number changed."""

    status: Required[str]
    statusType: Required["SessionStatusType"]
    timestamp: Required[int]
    whatsAppNumber: Required[str]

class SessionUser(TypedDict, total=False):
    """The user of a session."""

    available: Required[bool]
    chatLimit: Union[int, None]
    createdTime: Required[str]
    email: Required[str]
    id: Required[str]
    name: Required[str]
    role: Required["Role"]
    team: Union[str, None]
    teamId: Union[str, None]
    clientRef: Required[str]
    permissions: Required[list[str]]

class Sessions(TypedDict, total=False):
    """The sessions of a user."""

    sessions: Required[list["Session"]]

class ShownToCustomer(TypedDict, total=False):
    """Whether the customer sees the read receipt or the typing indicator."""

    reason: Union[str, None]
    shown: Required[bool]

class SignedWebhook(TypedDict, total=False):
    """A webhook as its receiver gets it."""

    body: Required[str]
    headers: Required["WebhookHeaders"]
    id: Required[str]
    number: int
    webhookType: Required["WebhookType"]

class SkippedComparisons(TypedDict, total=False):
    """Comparisons that were skipped because there was no capacity."""

    activationId: Required[str]
    comparisons: Required[int]
    lastTime: Required[str]
    version: Union[int, None]

class SmsBalance(TypedDict, total=False):
    """SMS credits."""

    balance: Required[int]

class SmsBatchQuery(TypedDict, total=False):
    """The name of a batch."""

    batchid: Required[str]
    batchref: Required[str]

class SmsBatchSend(TypedDict, total=False):
    """The keywords of a batch."""

    batchid: str
    batchref: str
    cell: Required[str]
    concat: str
    futuredatetime: str
    manageownreplies: str
    maxparts: str
    message: Required[str]
    priority: str
    rdr: str
    repliesperuserid: str
    senderid: str
    unicode: str
    virtualname: str

class SmsFallback(TypedDict, total=False):
    """SMS fallback for messages that WhatsApp cannot deliver."""

    enabled: Required[bool]
    mode: Union["SmsFallbackMode", None]
    smsUsername: Union[str, None]

class SmsFallbackChange(TypedDict, total=False):
    """Settings of the SMS fallback."""

    enabled: Required[bool]
    mode: "SmsFallbackMode"
    smsPassword: Union[str, None]
    smsUsername: Union[str, None]

class SmsMessage(TypedDict, total=False):
    """One text and its recipients."""

    messageText: Required[str]
    recipients: Required[list["SendRecipient"]]

class SmsOptOutRemoved(TypedDict, total=False):
    """A number that may get messages again."""

    number: Required[str]

class SmsOptOuts(TypedDict, total=False):
    """Numbers that stopped the client's messages."""

    numbers: Required[list[str]]

SmsReply = TypedDict('SmsReply', {'ctid': Required[str], 'from': Required[str], 'gstid': Required[str], 'identifier': Required[str], 'messageText': Required[str], 'stid': Required[str], 'time': Required[str], 'to': Required[str]}, total=False)

class SmsSend(TypedDict, total=False):
    """An SMS send: up to 1,000 recipients in all its messages together (`limits.max_recipients`)."""

    messages: Required[list["SmsMessage"]]
    sender: Union[str, None]
    unicode: Union[bool, None]

class SmsSendAnswer(TypedDict, total=False):
    """The result of a request."""

    completionTime: Required[str]
    gstid: Required[str]
    statusCode: Required["GatewaySendStatus"]
    statusDescription: Required[str]

class SmsServiceQuery(TypedDict, total=False):
    """A query about the account."""

    cell: str
    charge: str
    creditcheck: str
    message: str
    version: str

class SmsTracking(TypedDict, total=False):
    """The states of messages."""

    receipts: Required[list["GatewayReceipt"]]
    statusCode: Required["GatewayTrackingStatus"]
    statusDescription: Required[str]

class StartRecording(TypedDict, total=False):
    forSeconds: Union[int, None]
    maxBytes: Union[int, None]
    maxCalls: Union[int, None]
    mode: Union["Mode", None]
    sample: Union[float, None]
    whatsAppNumberId: Union[str, None]

class StatusProblem(TypedDict, total=False):
    """A reason why the service is not healthy."""

    detail: Required[str]
    kind: Required["ProblemKind"]
    subject: Required[str]

class StatusReport(TypedDict, total=False):
    """The state of the service: its processes, queues, providers, plugins, storage and clients."""

    clients: Required[list["ClientLoad"]]
    commit: Required[str]
    liteSessions: Required["LiteSessions"]
    nodes: Required[list["NodeStatus"]]
    plugins: Required[list["PluginLoad"]]
    problems: Required[list["StatusProblem"]]
    processes: Required[list["ProcessStatus"]]
    programSchema: Required[int]
    providerFailures: Required[list["ProviderFailures"]]
    providers: Required[list["ProviderCalls"]]
    queues: Required[list["QueueStatus"]]
    refusedTokens: Required[list["RefusedTokenStatus"]]
    schema: Required[int]
    storage: Required["StorageLoad"]
    time: Required["ReportTime"]
    version: Required[str]

class StorageLoad(TypedDict, total=False):
    """The database and its partitioned tables."""

    databaseBytes: Required[int]
    disabledSafeguards: Required[list[str]]
    tables: Required[list["TableLoad"]]

class StoredMessageProcessing(TypedDict, total=False):
    """Pace and hours of a number."""

    batchSize: Union[int, None]
    dailyEnd: Union[str, None]
    dailyStart: Union[str, None]
    throttleDelayMillis: Union[int, None]
    timeZone: Required[str]

class StoredWebhookConfiguration(TypedDict, total=False):
    """A configuration."""

    chatbotIncludeOutgoing: Required[bool]
    chatbotPayloadVersion: Required["PayloadVersion"]
    chatbotStopOnAgentAssignment: Required[bool]
    chatbotWebhookURL: Required[str]
    eventWebhookURL: Required[str]
    id: Required[str]
    incomingMessageURL: Required[str]
    sessionStatusURL: Required[str]
    statusUpdateURL: Required[str]
    whatsAppNumberId: Union[str, None]
    whatsAppNumberMsisdn: Union[str, None]

class SuspensionReport(TypedDict, total=False):
    """A plugin that a process suspends for a client."""

    clientId: Required[str]
    name: str
    plugin: Required[str]
    reason: Union[str, None]
    since: Union["ReportTime", None]
    until: Union["ReportTime", None]
    version: Union[int, None]

class SyncedTemplates(TypedDict, total=False):
    synced: Required[int]

class TableLoad(TypedDict, total=False):
    """A partitioned table."""

    bytes: Required[int]
    endTime: Union["ReportTime", None]
    firstTime: Union["ReportTime", None]
    partitions: Required[int]
    table: Required[str]

class Team(TypedDict, total=False):
    """A team."""

    afterHoursText: Union[str, None]
    assignment: Required["ChatAssignment"]
    businessHours: Union["BusinessHours", None]
    createdTime: Required[str]
    id: Required[str]
    name: Required[str]
    open: Required[bool]
    timeZone: Required[str]

class TeamChange(TypedDict, total=False):
    """A new or changed team. In a change, absent fields stay as they are."""

    afterHoursText: Union[str, None]
    assignment: "ChatAssignment"
    businessHours: Union["BusinessHours", None]
    name: str
    timeZone: Union[str, None]

class TeamQueueState(TypedDict, total=False):
    """The waiting chats of a team."""

    length: Required[int]
    longestWait: Required[int]
    teamId: Union[str, None]
    teamName: Union[str, None]

class Template(TypedDict, total=False):
    category: Required[str]
    components: Required[list[dict[str, Any]]]
    id: Required[str]
    language: Required[str]
    name: Required[str]
    parameterFormat: Required[str]
    status: Required[str]
    syncedTime: Required[str]
    wabaId: Required[str]

class TemporaryPassword(TypedDict, total=False):
    """A temporary password."""

    temporaryPassword: Required[str]

class TerminateChatV1(TypedDict, total=False):
    """The whole chat. A field that is absent is cleared. Other fields of a chat are accepted and ignored."""

    afterHoursConversation: Union[bool, None]
    assignedTo: Union["AgentOfChatV1", None]
    id: Required[str]
    missedConversation: Union[bool, None]
    sendRatingWidget: Union[bool, None]

class TestKey(TypedDict, total=False):
    """A test key, without the key itself."""

    createdTime: Required[str]
    id: Required[str]
    name: Required[str]
    test: Required[bool]

class TestKeyCreation(TypedDict, total=False):
    name: Required[str]

TestMessage = TypedDict('TestMessage', {'from': Required[str], 'inbox': Required[str], 'name': Union[str, None], 'text': Required[str]}, total=False)

class Ticket(TypedDict, total=False):
    """The work of an agent on one episode of a chat. Fields without a value are null."""

    agentId: Union[str, None]
    agentName: Union[str, None]
    clientRef: Required[str]
    closedTime: Union[str, None]
    createdTime: Required[str]
    customerName: Union[str, None]
    id: Required[str]
    participantId: Required[str]
    phoneNumber: Union[str, None]
    rating: Union["TicketRating", None]
    status: Required["TicketStatus"]
    ticketNumber: Required[str]
    updatedTime: Required[str]
    whatsAppNumber: Union[str, None]

class ToolNote(TypedDict, total=False):
    """A tool that made a component."""

    name: Required[str]
    role: Required[str]
    version: Required[str]

class UnifiedSmsSend(TypedDict, total=False):
    """An SMS through the unified endpoint."""

    channel: Required[Literal['SMS']]
    payload: Required["SmsSend"]

class UnifiedWhatsappSend(TypedDict, total=False):
    """A WhatsApp message through the unified endpoint."""

    channel: Required[Literal['WHATSAPP']]
    payload: Required["Send"]

class User(TypedDict, total=False):
    """A user, without credentials."""

    available: Required[bool]
    chatLimit: Union[int, None]
    createdTime: Required[str]
    email: Required[str]
    id: Required[str]
    name: Required[str]
    role: Required["Role"]
    team: Union[str, None]
    teamId: Union[str, None]

class UserChange(TypedDict, total=False):
    """Changes of a user. Absent fields stay as they are."""

    name: str
    role: "Role"
    team: Union[str, None]

class VerifiedVersion(TypedDict, total=False):
    """The findings about a stored version."""

    apiVersion: Required[str]
    createdTime: Required[str]
    imports: Required[list[str]]
    intact: Required[bool]
    name: Required[str]
    problems: Required[list[str]]
    sha256: Required[str]
    signature: Union["PluginSignature", None]
    signatureState: Required["PluginSignatureState"]
    size: Required[int]
    storedSha256: Union[str, None]
    version: Required[int]
    world: Required["World"]

class Verify(TypedDict, total=False):
    version: Union[int, None]

class WaitReport(TypedDict, total=False):
    """An inbox that waits."""

    clientId: Required[str]
    inboxId: Required[str]
    kind: Required[str]
    reason: Required[str]
    until: Union["ReportTime", None]

class WebFile(TypedDict, total=False):
    """A stored file."""

    bytes: Required[int]
    file: Required[str]
    mimeType: Required[str]
    url: Required[str]

class WebIdentity(TypedDict, total=False):
    """A user of the site."""

    hash: Required[str]
    userId: Required[str]

class WebSession(TypedDict, total=False):
    """A visit."""

    chat: Union[dict[str, Any], None]
    expiresTime: Required[str]
    formDue: Required[bool]
    maxFileBytes: Required[int]
    site: Required[dict[str, Any]]
    token: Required[str]
    visitor: Required[str]

class WebSessionRequest(TypedDict, total=False):
    """The request of a widget."""

    identity: Union["WebIdentity", None]
    token: Union[str, None]

class WebSite(TypedDict, total=False):
    """A site."""

    createdTime: Required[str]
    form: Union[dict[str, Any], None]
    id: Required[str]
    look: Required[dict[str, Any]]
    name: Required[str]
    origins: Required[list[str]]
    script: Required[str]
    siteKey: Required[str]
    team: Union[str, None]
    texts: Required[dict[str, Any]]

class WebSiteRequest(TypedDict, total=False):
    """A new or changed site. In an update, absent fields stay as they are."""

    form: Union[dict[str, Any], None]
    look: Union[dict[str, Any], None]
    name: Union[str, None]
    origins: Union[list[str], None]
    team: Union[str, None]
    texts: Union[dict[str, Any], None]

class WebSiteSecret(TypedDict, total=False):
    """The secret of a site."""

    secret: Required[str]

class WebhookAttempt(TypedDict, total=False):
    """One request to a receiver."""

    attempt: Required[int]
    deliveryId: Required[str]
    durationMillis: Required[int]
    error: str
    id: Required[str]
    response: str
    statusCode: int
    time: Required[str]
    webhookType: "WebhookType"

class WebhookConfiguration(TypedDict, total=False):
    """A new configuration. Any subset of the addresses may be set."""

    chatbotIncludeOutgoing: Union[bool, None]
    chatbotPayloadVersion: Union["PayloadVersion", None]
    chatbotStopOnAgentAssignment: Union[bool, None]
    chatbotWebhookURL: Union[str, None]
    eventWebhookURL: Union[str, None]
    incomingMessageURL: Union[str, None]
    sessionStatusURL: Union[str, None]
    statusUpdateURL: Union[str, None]
    whatsAppNumberId: Union[str, None]

class WebhookConfigurationUpdate(TypedDict, total=False):
    """Changes of a configuration. Absent fields stay as they are."""

    chatbotIncludeOutgoing: Union[bool, None]
    chatbotPayloadVersion: Union["PayloadVersion", None]
    chatbotStopOnAgentAssignment: Union[bool, None]
    chatbotWebhookURL: Union[str, None]
    eventWebhookURL: Union[str, None]
    id: Required[str]
    incomingMessageURL: Union[str, None]
    sessionStatusURL: Union[str, None]
    statusUpdateURL: Union[str, None]
    whatsAppNumberId: Union[str, None]
    whatsAppNumberMsisdn: Union[str, None]

class WebhookDelivery(TypedDict, total=False):
    """An event on its way to a receiver."""

    attempts: Required[list["WebhookAttempt"]]
    body: str
    createdTime: Required[str]
    id: Required[str]
    nextAttemptTime: str
    state: Required["WebhookDeliveryState"]
    webhookType: Required["WebhookType"]
    whatsAppNumber: str

WebhookHeaders = TypedDict('WebhookHeaders', {'content-type': Required[str], 'webhook-id': Required[str], 'webhook-signature': Required[str], 'webhook-timestamp': Required[str]}, total=False)

class WebhookHealth(TypedDict, total=False):
    """One webhook of a configuration."""

    disabledReason: "WebhookDisabledReason"
    disabledTime: str
    failedDeliveries: Required[int]
    failingSince: str
    state: Required["WebhookState"]
    url: Required[str]
    waitingDeliveries: Required[int]
    webhookType: Required["WebhookType"]

class WebhookLink(TypedDict, total=False):
    """A link that opens the webhook page once."""

    expiresAt: Required[str]
    token: Required[str]
    url: Required[str]

class WebhookLinkToken(TypedDict, total=False):
    """The token of a link."""

    token: Required[str]

class WebhookPing(TypedDict, total=False):
    """The address to try."""

    webhookType: Required["WebhookType"]

class WebhookPinged(TypedDict, total=False):
    """The result of a try."""

    durationMillis: Required[int]
    error: str
    id: Required[str]
    received: Required[bool]
    response: str
    statusCode: int
    time: Required[str]
    url: Required[str]

class WebhookPosition(TypedDict, total=False):
    """The position of a listener."""

    after: Union[int, None]

class WebhookResend(TypedDict, total=False):
    """Selects the deliveries to send again."""

    since: Required[str]
    until: Union[str, None]
    webhookType: Union["WebhookType", None]

class WebhookResent(TypedDict, total=False):
    """The result of sending again."""

    more: Required[bool]
    resent: Required[int]

class WebhookSecret(TypedDict, total=False):
    secret: Required[str]

class WebhookSession(TypedDict, total=False):
    """A session for the webhooks of a client."""

    clientRef: Required[str]
    endsAt: Required[str]
    expiresAt: Required[str]
    id: Required[str]
    permissions: Required[list[str]]
    sessionKey: Required[str]

class WhatsAppCredits(TypedDict, total=False):
    """WhatsApp usage of the client."""

    balance: Union[int, None]
    delivered: Required[int]
    failed: Required[int]
    mode: Required[str]
    sent: Required[int]
    since: Required[str]
    submitted: Required[int]

class WhatsAppNumber(TypedDict, total=False):
    """A business number."""

    id: Required[str]
    number: Required[str]
    whatsAppProvider: Required["WhatsAppProvider"]

class WrittenTestMessage(TypedDict, total=False):
    messageId: Required[str]

UnifiedSend = Union["UnifiedWhatsappSend", "UnifiedSmsSend"]
