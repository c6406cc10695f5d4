import type { z } from "zod";
import * as accounts from "#lib/accounts/schema.ts";
import * as admin from "#lib/admin/schema.ts";
import * as analytics from "#lib/analytics/schema.ts";
import * as audit from "#lib/audit/schema.ts";
import * as comments from "#lib/conversations/comment-schema.ts";
import { AssignedIncident, IncidentHandoverInput } from "#lib/events/handover.ts";
import { ReportSettings } from "#lib/events/report-settings.ts";
import * as events from "#lib/events/schema.ts";
import * as evidence from "#lib/evidence/schema.ts";
import { AccessSummaryForReporter, AccessLogForTeam } from "#lib/incidents/access-log-queries.ts";
import { HistoryEntry } from "#lib/incidents/history-queries.ts";
import * as incidents from "#lib/incidents/schema.ts";
import { InvitationOutput } from "#lib/invites/invitation-schema.ts";
import * as intake from "#lib/conversations/intake-schema.ts";
import * as invites from "#lib/invites/schema.ts";
import * as live from "#lib/live/schema.ts";
import * as mailbox from "#lib/conversations/schema.ts";
import * as notifications from "#lib/notifications/schema.ts";
import { Pagination } from "#lib/operation/fields.ts";
import { OutcomeTemplate, OutcomeTemplatesChangeInput } from "#lib/organizations/outcome-templates.ts";
import * as organizations from "#lib/organizations/schema.ts";
import * as people from "#lib/people/schema.ts";
import * as setup from "#lib/setup/schema.ts";
import * as retention from "#lib/retention/schema.ts";
import { NewSavedViewInput, SavedView } from "#lib/incidents/saved-view-schema.ts";
import { SystemSettingsChangeInput, SystemSettingValues } from "#lib/settings/schema.ts";
import * as triage from "#lib/incidents/inbox-schema.ts";
import { WebhookMessage } from "#lib/webhooks/message.ts";
import * as webhooks from "#lib/webhooks/schema.ts";

/**
 * The schemas that are components of the OpenAPI document, by their names there: records that several responses have,
 * and bodies. Generated clients have types of these names, so they stay as they are (contract 13.3).
 */
export const OPENAPI_SCHEMAS_BY_NAME: Readonly<Record<string, z.ZodType>> = {
  Pagination,

  Incident: incidents.Incident,
  IncidentState: incidents.incidentStateSchema,
  Severity: incidents.severitySchema,
  IncidentPerson: incidents.IncidentPerson,
  IncidentReporter: incidents.IncidentReporter,
  NewIncident: incidents.NewIncidentInput,
  IncidentChange: incidents.IncidentChangeInput,
  IncidentStateChange: incidents.IncidentStateChangeInput,
  IncidentReopening: incidents.IncidentReopeningInput,
  IncidentTitleChange: incidents.IncidentTitleChangeInput,
  HistoryEntry,
  AccessLog: AccessLogForTeam,
  AccessSummary: AccessSummaryForReporter,
  IncidentSummary: triage.IncidentCountsSummary,
  IncidentMarks: triage.IncidentMarks,
  ResponseDeadline: triage.ResponseDeadline,
  SavedView,
  NewSavedView: NewSavedViewInput,

  RelatedFile: incidents.RelatedFile,
  RelatedFileChange: evidence.EvidenceFileChangeInput,
  OriginalAccess: evidence.OriginalAccess,

  Comment: comments.CommentOutput,
  Note: comments.TeamNote,
  Message: comments.ReporterMessage,
  CommentRevision: comments.CommentRevision,
  NewComment: comments.NewCommentInput,

  PersonInIncident: people.IncidentPersonRecord,
  PersonInReports: people.PersonInReports,
  NewPerson: people.NewPersonInput,
  PersonChange: people.PersonChangeInput,

  Mailbox: mailbox.Mailbox,
  MailboxMessage: mailbox.MailboxMessage,
  MailboxFile: mailbox.MailboxFile,
  NewMailboxMessage: mailbox.NewMailboxMessageInput,
  NewReportWithoutAccount: mailbox.NewReportWithoutAccountInput,
  ReceiptChallenge: mailbox.ReceiptChallenge,
  Conversation: mailbox.Conversation,
  NewConversation: mailbox.NewConversationInput,
  NewConversationMessage: mailbox.NewConversationMessageInput,
  NewDecision: mailbox.NewDecisionInput,
  Decision: mailbox.Decision,
  OtherMailbox: mailbox.OtherMailbox,
  Intake: intake.Intake,
  NewIntake: intake.NewIntakeInput,
  ConfirmedIntakeText: intake.ConfirmedIntakeText,
  ReceiptEntry: mailbox.MailboxOpeningInput,

  Event: events.EventOutput,
  NewEvent: events.NewEventInput,
  EventChange: events.EventChangeInput,
  EventUser: events.EventUser,
  EventUserProfile: events.EventUserProfile,
  EventUserChange: events.EventUserChangeInput,
  EventRoleAssignment: events.EventRoleAssignmentInput,
  UserEventRole: events.UserEventRole,
  EventActivity: events.EventUserActivityEntry,
  ReportSettings,
  AssignedIncident,
  IncidentHandover: IncidentHandoverInput,

  EventSetup: setup.EventSetupInput,
  OrganizationSetup: setup.OrganizationSetupInput,

  Organization: organizations.Organization,
  OwnOrganization: organizations.OwnOrganization,
  OrganizationWithCounts: organizations.OrganizationWithCounts,
  NewOrganization: organizations.NewOrganizationInput,
  OrganizationChange: organizations.OrganizationChangeInput,
  OrganizationMember: organizations.OrganizationMember,
  NewOrganizationMember: organizations.NewOrganizationMemberInput,
  OrganizationMemberChange: organizations.OrganizationMemberRoleChangeInput,
  OutcomeTemplate,
  OutcomeTemplatesChange: OutcomeTemplatesChangeInput,
  RetentionRules: retention.RetentionRules,
  RetentionRulesChange: retention.RetentionRulesChangeInput,
  RetentionSchedule: retention.RetentionSchedule,
  RetentionDate: retention.RetentionDate,
  IncidentRetention: retention.IncidentRetention,
  NewHold: retention.NewRetentionHoldInput,

  Invite: invites.InviteOutput,
  ListedInvite: invites.ListedInviteOutput,
  NewOrganizationInvite: invites.NewOrganizationInviteInput,
  NewEventInvite: invites.NewEventInviteInput,
  MailedEventInvites: invites.MailedEventInvitesInput,
  MailedOrganizationInvites: invites.MailedOrganizationInvitesInput,
  InviteChange: invites.InviteChangeInput,
  Invitation: InvitationOutput,

  User: accounts.User,
  Registration: accounts.RegistrationInput,
  Credentials: accounts.SignInCredentialsInput,
  PasswordResetRequest: accounts.PasswordResetRequestInput,
  PasswordReset: accounts.PasswordResetInput,
  MailedToken: accounts.MailedTokenInput,
  SessionCheck: accounts.SessionCheck,
  SessionRoles: accounts.SessionRoles,
  Account: accounts.OwnAccount,
  AccountChange: accounts.ProfileChangeInput,
  PasswordChange: accounts.PasswordChangeInput,
  OwnEvent: accounts.OwnEvent,
  Session: accounts.OwnSession,
  SecondFactorEnrollment: accounts.SecondFactorEnrollment,
  ApiToken: accounts.ApiToken,
  NewApiToken: accounts.NewApiTokenInput,
  ServiceToken: organizations.ServiceToken,
  NewServiceToken: organizations.NewServiceTokenInput,

  Notification: notifications.NotificationOutput,
  NotificationSetting: notifications.NotificationSetting,
  NotificationSettingsChange: notifications.NotificationSettingsChangeInput,
  LiveChange: live.LiveChange,
  LivePoll: live.LivePoll,

  Webhook: webhooks.Webhook,
  NewWebhook: webhooks.NewWebhookInput,
  WebhookChange: webhooks.WebhookChangeInput,
  WebhookDelivery: webhooks.WebhookDelivery,
  WebhookPayload: webhooks.WebhookPayload,
  WebhookMessage,

  Analytics: analytics.Analytics,
  Insights: analytics.ReportInsights,
  PeriodFigures: analytics.PeriodFigures,
  CountsByStatus: analytics.CountsByStatus,
  CountsBySeverity: analytics.CountsBySeverity,
  EventsSummary: analytics.EventsSummary,

  AuditEntry: audit.AuditEntry,
  AuditVerification: audit.AuditVerification,

  AdminUser: admin.AdminUser,
  AdminUserDetails: admin.AdminUserDetails,
  AdminUserChange: admin.AdminUserChangeInput,
  AdminEvent: admin.AdminEvent,
  SystemStats: admin.SystemStatistics,
  SystemHealth: admin.SystemHealth,
  MailTestResult: admin.MailTestResult,
  SettingValues: SystemSettingValues,
  SettingsChange: SystemSettingsChangeInput,
};
