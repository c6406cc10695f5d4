import type { z } from "zod";
import * as accounts from "#lib/accounts/schema.ts";
import * as admin from "#lib/admin/schema.ts";
import * as analytics from "#lib/analytics/schema.ts";
import * as audit from "#lib/audit/schema.ts";
import * as comments from "#lib/comments/schema.ts";
import { AssignedIncident, IncidentHandoverInput } from "#lib/events/handover.ts";
import { ReportSettings } from "#lib/events/report-settings.ts";
import * as events from "#lib/events/schema.ts";
import * as evidence from "#lib/evidence/schema.ts";
import { ReporterAccessSummary, TeamAccessLog } from "#lib/incidents/access-log-queries.ts";
import { HistoryEntry } from "#lib/incidents/history-queries.ts";
import * as incidents from "#lib/incidents/schema.ts";
import { InvitationOutput } from "#lib/invitations/schema.ts";
import * as intake from "#lib/intake/schema.ts";
import * as invites from "#lib/invites/schema.ts";
import * as letterboxes from "#lib/letterboxes/schema.ts";
import * as live from "#lib/live/schema.ts";
import * as mailbox from "#lib/mailbox/schema.ts";
import * as notifications from "#lib/notifications/schema.ts";
import { Pagination } from "#lib/operation/fields.ts";
import { OutcomeTemplate, OutcomeTemplatesChange } from "#lib/organizations/outcome-templates.ts";
import * as organizations from "#lib/organizations/schema.ts";
import * as retention from "#lib/retention/schema.ts";
import { NewSavedView, SavedView } from "#lib/saved-views/schema.ts";
import { SettingsChange, SystemSettingValues } from "#lib/settings/schema.ts";
import * as triage from "#lib/triage/schema.ts";
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
  NewIncident: incidents.NewIncident,
  IncidentChange: incidents.IncidentChange,
  IncidentStateChange: incidents.IncidentStateChangeInput,
  IncidentReopening: incidents.IncidentReopening,
  IncidentTitleChange: incidents.IncidentTitleChangeInput,
  HistoryEntry,
  AccessLog: TeamAccessLog,
  AccessSummary: ReporterAccessSummary,
  IncidentSummary: triage.IncidentSummary,
  IncidentMarks: triage.IncidentMarks,
  ResponseDeadline: triage.ResponseDeadline,
  SavedView,
  NewSavedView,

  RelatedFile: incidents.RelatedFile,
  RelatedFileChange: evidence.EvidenceFileChange,
  OriginalAccess: evidence.OriginalAccess,

  Comment: comments.CommentOutput,
  Note: comments.TeamNote,
  Message: comments.ReporterMessage,
  CommentRevision: comments.CommentRevision,
  NewComment: comments.NewComment,
  CommentDraft: comments.CommentDraft,

  Mailbox: mailbox.Mailbox,
  MailboxMessage: mailbox.MailboxMessage,
  MailboxFile: mailbox.MailboxFile,
  NewMailboxMessage: mailbox.NewMailboxMessage,
  NewReportWithoutAccount: mailbox.NewReportWithoutAccount,
  ReceiptChallenge: mailbox.ReceiptChallenge,
  Letterbox: letterboxes.Letterbox,
  OpenedLetterbox: letterboxes.OpenedLetterbox,
  NewLetterbox: letterboxes.NewLetterbox,
  NewLetter: letterboxes.NewLetter,
  NewDecision: letterboxes.NewDecision,
  Decision: letterboxes.Decision,
  Reply: letterboxes.NewHolderReply,
  LetterboxEntry: letterboxes.LetterboxOpeningInput,
  Intake: intake.Intake,
  NewIntake: intake.NewIntake,
  ConfirmedIntakeText: intake.ConfirmedIntakeText,
  ReceiptEntry: mailbox.MailboxOpeningInput,

  Event: events.EventOutput,
  NewEvent: events.NewEvent,
  EventChange: events.EventChange,
  EventUser: events.EventUser,
  EventUserProfile: events.EventUserProfile,
  EventUserChange: events.EventUserChange,
  EventRoleAssignment: events.EventRoleAssignmentInput,
  UserEventRole: events.UserEventRole,
  EventActivity: events.EventUserActivity,
  ReportSettings,
  AssignedIncident,
  IncidentHandover: IncidentHandoverInput,

  Organization: organizations.Organization,
  OwnOrganization: organizations.OwnOrganization,
  OrganizationWithCounts: organizations.OrganizationWithCounts,
  NewOrganization: organizations.NewOrganization,
  OrganizationChange: organizations.OrganizationChange,
  OrganizationMember: organizations.OrganizationMember,
  NewOrganizationMember: organizations.NewMember,
  OrganizationMemberChange: organizations.OrganizationMemberRoleChangeInput,
  OutcomeTemplate,
  OutcomeTemplatesChange,
  RetentionRules: retention.RetentionRules,
  RetentionRulesChange: retention.RetentionRulesChange,
  RetentionSchedule: retention.RetentionSchedule,
  RetentionDate: retention.RetentionDate,
  IncidentRetention: retention.IncidentRetention,
  NewHold: retention.NewHold,

  Invite: invites.InviteOutput,
  NewOrganizationInvite: invites.NewOrganizationInvite,
  NewEventInvite: invites.NewEventInvite,
  InviteChange: invites.InviteChange,
  Invitation: InvitationOutput,

  User: accounts.User,
  Registration: accounts.RegistrationInput,
  Credentials: accounts.SignInCredentials,
  PasswordResetRequest: accounts.PasswordResetRequestInput,
  PasswordReset: accounts.PasswordResetInput,
  MailedToken: accounts.MailedToken,
  SessionCheck: accounts.SessionCheck,
  SessionRoles: accounts.SessionRoles,
  Account: accounts.OwnAccount,
  AccountChange: accounts.ProfileChangeInput,
  PasswordChange: accounts.PasswordChange,
  OwnEvent: accounts.OwnEvent,
  Session: accounts.OwnSession,
  SecondFactorEnrollment: accounts.SecondFactorEnrollment,
  ApiToken: accounts.ApiToken,
  NewApiToken: accounts.NewApiToken,
  ServiceToken: organizations.ServiceToken,
  NewServiceToken: organizations.NewServiceToken,

  Notification: notifications.NotificationOutput,
  NotificationSetting: notifications.NotificationSetting,
  NotificationSettingsChange: notifications.NotificationSettingsChange,
  LiveChange: live.LiveChange,
  LivePoll: live.LivePoll,

  Webhook: webhooks.Webhook,
  NewWebhook: webhooks.NewWebhook,
  WebhookChange: webhooks.WebhookChange,
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
  AdminUserChange: admin.AdminUserChange,
  AdminEvent: admin.AdminEvent,
  SystemStats: admin.SystemStatistics,
  SystemHealth: admin.SystemHealth,
  MailTestResult: admin.MailTestResult,
  SettingValues: SystemSettingValues,
  SettingsChange,
};
