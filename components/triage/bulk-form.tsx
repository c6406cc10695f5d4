"use client";

import clsx from "clsx";
import { useMemo } from "react";
import { buttonClass } from "#components/ui/button-class.ts";
import { performBulkActionForm } from "./actions.ts";
import styles from "./bulk-form.module.css";
import icons from "./triage-icons.module.css";
import type { TriageIconName } from "./triage-icons.ts";

/** The bulk actions, with translated labels. */
export type BulkFacts = {
  /** Hidden parameters. */
  preservedParams: readonly (readonly [name: string, value: string])[];
  /** Possible assignees. */
  people: readonly Option[];
  severities: readonly Option[];
  labels: Record<
    | "selected"
    | "selectPage"
    | "unselect"
    | "assignTo"
    | "assign"
    | "acknowledge"
    | "severity"
    | "set"
    | "export",
    string
  >;
  /** Label that offers to select all matching rows; null if the page shows them all. */
  selectAll: string | null;
};

type Option = { value: string; label: string; chosen?: boolean };

type Props = { /** `BulkFacts` as JSON: see `IncidentRows`. */ facts: string };

/**
 * The bulk actions on checked rows, and the form of every button in the list. CSS shows it once a row is
 * checked, without script. It is fixed to the bottom of the screen, so that no row moves when it appears.
 */
export function BulkForm({ facts: text }: Props) {
  const facts = useMemo(() => JSON.parse(text) as BulkFacts, [text]);
  const { preservedParams, labels } = facts;
  return (
    <form
      id="desk"
      action={performBulkActionForm}
      aria-label={labels.selected}
      className="hidden flex-wrap items-center gap-2 rounded-surface border border-accent bg-accent-soft p-2 shadow-lg group-has-[li_:checked]/desk:flex"
    >
      {preservedParams.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <SelectionControls {...facts} />
      <BulkActions {...facts} />
    </form>
  );
}

function SelectionControls({ labels, selectAll }: BulkFacts) {
  return (
    <>
      <output id="desk-count" className="px-2 font-[650]">
        {labels.selected}
      </output>
      <button
        type="button"
        data-select="page"
        className={buttonClass("quiet", "px-2 [@media(scripting:none)]:hidden")}
      >
        {labels.selectPage}
      </button>
      {selectAll !== null && (
        <label className="flex min-h-11 items-center gap-2 px-2">
          <input type="checkbox" name="all" value="1" className="size-5" />
          {selectAll}
        </label>
      )}
      <button
        type="reset"
        aria-label={labels.unselect}
        title={labels.unselect}
        className={iconButtonClass("clear", "quiet", "w-11 px-0")}
      />
    </>
  );
}

function BulkActions({ people, severities, labels }: BulkFacts) {
  return (
    <div className="flex w-full min-w-0 gap-2 max-sm:overflow-x-auto max-sm:pb-1 [&>*]:shrink-0">
      <span className={styles.pair}>
        <BulkSelect name="to" label={labels.assignTo} options={people} />
        <BulkActionButton value="assign" icon="take" label={labels.assign} />
      </span>
      <BulkActionButton value="acknowledge" icon="acknowledge" label={labels.acknowledge} />
      <span className={styles.pair}>
        <BulkSelect name="severity" label={labels.severity} options={severities} />
        <BulkActionButton value="severity" icon="severity" label={labels.set} />
      </span>
      <button
        type="submit"
        formAction="/inbox/export"
        formMethod="post"
        name="do"
        value="export"
        className={iconButtonClass("export", "secondary")}
      >
        {labels.export}
      </button>
    </div>
  );
}

const iconButtonClass = (icon: TriageIconName, variant: "quiet" | "secondary", more?: string) =>
  clsx(buttonClass(variant, more), styles.button, icons[icon]);

function BulkActionButton({ value, icon, label }: { value: string; icon: TriageIconName; label: string }) {
  return (
    <button type="submit" name="do" value={value} className={iconButtonClass(icon, "secondary")}>
      {label}
    </button>
  );
}

type ChoiceProps = { name: string; label: string; options: readonly Option[] };

/** The value that the button next to it needs. */
function BulkSelect({ name, label, options }: ChoiceProps) {
  return (
    <span className={clsx(styles.choice, icons.open)}>
      <select
        name={name}
        aria-label={label}
        defaultValue={options.find(({ chosen }) => chosen)?.value}
        className="control"
      >
        {options.map(({ value, label: optionLabel }) => (
          <option key={value} value={value}>
            {optionLabel}
          </option>
        ))}
      </select>
    </span>
  );
}
