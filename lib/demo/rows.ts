import type { CONTACT_METHODS, Severity, IncidentState } from "#lib/incidents/schema.ts";
import type { EventRole, OrganizationRole } from "#lib/operation/policy.ts";

/** The rows that the demo inserts, with the database's column names. Columns left out take their defaults. */

export type DemoUserRow = {
  id: string;
  email: string;
  name: string;
  system_admin: boolean;
  created_at: Date;
  updated_at: Date;
};

export type DemoOrganizationRow = {
  id: string;
  name: string;
  slug: string;
  description: string;
  website: string;
  created_at: Date;
  updated_at: Date;
};

export type DemoOrganizationMemberRow = {
  organization_id: string;
  user_id: string;
  role: OrganizationRole;
  created_at: Date;
};

export type DemoEventRow = {
  id: string;
  organization_id: string;
  name: string;
  slug: string;
  description: string;
  start_date: Date;
  end_date: Date | null;
  time_zone: string;
  website: string | null;
  contact_email: string;
  code_of_conduct: string;
  is_active: boolean;
  created_at: Date;
  updated_at: Date;
};

export type DemoEventRoleRow = {
  id: string;
  event_id: string;
  user_id: string;
  role_name: EventRole;
  created_at: Date;
};

export type DemoInviteRow = {
  id: string;
  code: string;
  organization_id: string;
  event_id: string | null;
  role: OrganizationRole | EventRole;
  initial: boolean;
  expires_at: Date | null;
  max_uses: number | null;
  use_count: number;
  disabled: boolean;
  note: string | null;
  created_by_id: string;
  created_at: Date;
};

export type DemoInviteUseRow = { invite_id: string; user_id: string; used_at: Date };

export type DemoIncidentRow = {
  id: string;
  event_id: string;
  title: string;
  description: string;
  state: IncidentState;
  severity: Severity | null;
  type: string | null;
  contact_method: (typeof CONTACT_METHODS)[number];
  incident_at: Date | null;
  location: string | null;
  parties: string | null;
  reporter_id: string | null;
  assigned_responder_id: string | null;
  resolution: string | null;
  first_response_at: Date | null;
  resolved_at: Date | null;
  escalated_at: Date | null;
  reopened_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

export type DemoIncidentHistoryRow = {
  id: string;
  incident_id: string;
  event_id: string;
  actor_id: string | null;
  action: string;
  from_value: string | null;
  to_value: string | null;
  created_at: Date;
};

export type DemoTeamNoteRow = {
  id: string;
  incident_id: string;
  author_id: string;
  body: string;
  created_at: Date;
  updated_at: Date;
};

export type DemoMessageRow = {
  id: string;
  incident_id: string;
  author_id: string;
  body: string;
  created_at: Date;
  updated_at: Date;
};

export type DemoPinnedIncidentRow = {
  user_id: string;
  incident_id: string;
  event_id: string;
  created_at: Date;
};
