export type { DiscordChannel, DiscordCommand, DiscordUser, FakeDiscordApp, FakeDiscordOptions } from "./discord/app.ts";
export { FakeDiscord } from "./discord/fake-discord.ts";
export type { DiscordRequest } from "./discord/fake-discord.ts";
export type { DiscordFrame, DiscordLogin } from "./discord/gateway.ts";
export type { DiscordInteractionAnswer, DiscordInteractionInput } from "./discord/interactions.ts";
export type { DiscordButton, DiscordFile, DiscordMessage, DiscordMessageInput, DiscordPoll } from "./discord/message-store.ts";
export type { DiscordFault } from "./discord/refusal.ts";
export { FakeMail } from "./email/fake-mail.ts";
export type { FakeMailOptions } from "./email/fake-mail.ts";
export { FakeTokenEndpoint } from "./email/fake-token-endpoint.ts";
export type { MailFolder, StoredMail } from "./email/mail-folder.ts";
export { mailSource } from "./email/mail-source.ts";
export type { MailFile, MailSource } from "./email/mail-source.ts";
export { parseSentMail } from "./email/smtp-side.ts";
export type { MailFault, SentMail } from "./email/smtp-side.ts";
export type { FakeFeishuApp, FakeFeishuOptions } from "./feishu/app.ts";
export type { Card as FeishuCard, CardElement as FeishuCardElement } from "./feishu/card-rules.ts";
export type { FeishuPress } from "./feishu/cards.ts";
export { envelope as feishuEnvelope, messageEvent as feishuMessageEvent } from "./feishu/events.ts";
export type { FeishuEnvelope, FeishuMention, FeishuMessageInput } from "./feishu/events.ts";
export { FakeFeishu } from "./feishu/fake-feishu.ts";
export type { FeishuRequest } from "./feishu/fake-feishu.ts";
export type { FeishuFault } from "./feishu/faults.ts";
export type { ClientConfig as FeishuClientConfig, FeishuLongConnection } from "./feishu/long-connection.ts";
export type { SentMessage as FeishuSentMessage } from "./feishu/message-store.ts";
export {
  challengeRequest as feishuChallengeRequest,
  encryptPayload as encryptFeishuPayload,
  webhookRequest as feishuWebhookRequest,
} from "./feishu/webhook.ts";
export type { WebhookOptions as FeishuWebhookOptions } from "./feishu/webhook.ts";
export { loadedModules } from "./loaded-modules.ts";
export { ManualClock } from "./manual-clock.ts";
export type { FakeSlackApp, FakeSlackOptions, SlackConversation, SlackUser } from "./slack/app.ts";
export {
  slackChannelType,
  slackCommand,
  slackEventBody,
  slackEventRequest,
  slackFormRequest,
  slackMessageEvent,
  slackPress,
  slackRichText,
} from "./slack/events.ts";
export type { SlackEventBody, SlackRequestOptions } from "./slack/events.ts";
export { FakeSlack } from "./slack/fake-slack.ts";
export type { SlackRequest } from "./slack/fake-slack.ts";
export type { SlackFault } from "./slack/faults.ts";
export { asSlackMessage } from "./slack/message-store.ts";
export type { SlackFile, SlackMessage } from "./slack/message-store.ts";
export type { SlackDelivery, SlackSocketMode } from "./slack/socket-mode.ts";
export type { FakeTelegramApp, FakeTelegramOptions, TelegramChat, TelegramUser } from "./telegram/app.ts";
export { FakeTelegram } from "./telegram/fake-telegram.ts";
export type { TelegramRequest } from "./telegram/fake-telegram.ts";
export type { TelegramButton, TelegramFile, TelegramMessage, TelegramMessageInput } from "./telegram/message-store.ts";
export { parseTelegramHtml } from "./telegram/parse-html.ts";
export type { TelegramFault } from "./telegram/refusal.ts";
export type { TelegramDelivery, TelegramUpdate } from "./telegram/update-queue.ts";
export {
  telegramMessageUpdate,
  telegramOwnMemberUpdate,
  telegramPressUpdate,
  telegramReactionUpdate,
  telegramUserOf,
  telegramVoteUpdate,
  telegramWebhookRequest,
} from "./telegram/updates.ts";
export type { IrcClient as FakeIrcClient } from "./irc/client.ts";
export { MARKDOWN_CORPUS } from "./markdown/corpus.ts";
export type { CorpusEntry } from "./markdown/corpus.ts";
export type { DialectRules } from "./markdown/dialect-rules.ts";
export { DISCORD_MARKDOWN } from "./markdown/discord-rules.ts";
export { FEISHU_CARD, FEISHU_MESSAGE } from "./markdown/feishu-rules.ts";
export { MAIL_HTML } from "./markdown/mail-html.ts";
export { markdownFaults } from "./markdown/markdown-faults.ts";
export type { MarkdownCheck } from "./markdown/markdown-faults.ts";
export { IRC_TEXT, PLAIN_TEXT } from "./markdown/plain-rules.ts";
export { readAsterisks } from "./markdown/read-asterisks.ts";
export type { AsteriskCharacter } from "./markdown/read-asterisks.ts";
export { SLACK_BODY, SLACK_MRKDWN } from "./markdown/slack-rules.ts";
export { TELEGRAM_HTML } from "./markdown/telegram-html.ts";
export { visibleText } from "./markdown/visible-text.ts";
export type { VisibleMarks, VisiblePiece } from "./markdown/visible-text.ts";
export { PACKAGED_CHANNELS, PLATFORM_SDKS, startFakePlatforms } from "./fake-platforms.ts";
export type { FakePlatforms } from "./fake-platforms.ts";
export { FakeIrc } from "./irc/fake-irc.ts";
export type { FakeIrcOptions, IrcFault, IrcMessage, IrcUser } from "./irc/options.ts";
export { FakeWebhookService } from "./webhook/fake-webhook-service.ts";
export type { WebhookServiceFault, WebhookServiceMessage } from "./webhook/fake-webhook-service.ts";
export type { FakeMatrixApp, FakeMatrixOptions, MatrixFile, MatrixUser } from "./matrix/app.ts";
export { relationIn as matrixRelationIn } from "./matrix/event.ts";
export type { MatrixContent, StoredEvent as MatrixStoredEvent } from "./matrix/event.ts";
export { FakeMatrix, matrixVisibleText } from "./matrix/fake-matrix.ts";
export type { MatrixFault } from "./matrix/refusal.ts";
export type { MatrixRequest } from "./matrix/request.ts";
export type { MatrixRoom } from "./matrix/room.ts";
export type { MatrixEventInput, MatrixRoomInput } from "./matrix/store.ts";
export type { MatrixDelivery } from "./matrix/syncs.ts";
