"use client";

import { createContext, type ReactNode, use } from "react";
import type { FormAccountBinding } from "./form-binding.ts";
import type { AssignablePerson, FormIncident } from "./incident-fields.ts";
import type { OutcomeMessageDefaults } from "./outcome-fields.tsx";

/** What the forms of the team's page share. A context, so that React's data in the page holds it once. */
type IncidentForms = {
  incident: FormIncident;
  /** Whether the reporter can read messages. */
  isReporterReachable: boolean;
  writing: FormAccountBinding;
  /** The people to whom the incident can be assigned. */
  people: readonly AssignablePerson[];
  outcome: OutcomeMessageDefaults;
};

const IncidentFormsContext = createContext<IncidentForms | null>(null);

export function IncidentFormsProvider({ forms, children }: { forms: IncidentForms; children: ReactNode }) {
  return <IncidentFormsContext value={forms}>{children}</IncidentFormsContext>;
}

/** @throws Error outside of `IncidentFormsProvider` */
export function useIncidentForms(): IncidentForms {
  const forms = use(IncidentFormsContext);
  if (!forms) throw new Error("there is no IncidentFormsProvider around this component");
  return forms;
}
