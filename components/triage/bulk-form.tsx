"use client";

import { Icon, type IconName } from "#components/ui/icon.tsx";
import clsx from "clsx";
import type { FormEvent } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { applyBulkActionAndRedirect } from "./actions.ts";
import { serializeIncidentRowSnapshots, type BulkAction } from "./bulk-actions.ts";
import type { MatchingRowsActionRequest } from "./use-matching-rows-action.ts";
import styles from "./bulk-form.module.css";
import { findUnchosenSeveritySelect, readAllMatchingRowsQueryIfChecked, readBulkAction } from "./forms.ts";
import { listCheckedRows, useInbox } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";

/** The bulk actions, with translated labels. */
export type BulkFormLabelsAndOptions = {
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

type Props = {
  data: BulkFormLabelsAndOptions;
  perform: (action: BulkAction, rows: readonly InboxRowData[]) => void;
  /** Asks before an action on all matching rows. */
  confirmRun: (request: MatchingRowsActionRequest) => void;
};

/**
 * The form with the bulk actions on checked rows; the buttons of the rows belong to it, too. CSS shows the form once a
 * row is checked, also without script. It is fixed to the bottom of the screen, so that no row moves when it appears.
 */
export function BulkForm({ data, perform, confirmRun }: Props) {
  const { preservedParams, labels } = data;
  const submit = useBulkSubmit({ perform, confirmRun });
  return (
    <form
      id="bulk-form"
      action={applyBulkActionAndRedirect}
      onSubmit={submit}
      aria-label={labels.selected}
      className="hidden flex-wrap items-center gap-2 rounded-surface border border-accent bg-accent-soft p-2 shadow-lg group-has-[li_:checked]/inbox:flex"
    >
      <input type="hidden" name="rows" value={serializeIncidentRowSnapshots(useInbox().rows)} />
      {preservedParams.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <SelectionControls {...data} />
      <BulkActions {...data} />
    </form>
  );
}

/** Applies the action of the pressed button without loading a new page. An export is left to the browser. */
function useBulkSubmit({ perform, confirmRun }: Pick<Props, "perform" | "confirmRun">) {
  const inbox = useInbox();
  return (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const unchosen = findUnchosenSeveritySelect(form, submitter);
    const action = readBulkAction(form, submitter);
    if (!unchosen && !action) return;
    event.preventDefault();
    if (unchosen) return unchosen.focus();
    if (!action) return;
    const rowId = readRowOfButton(submitter);
    const matching = rowId ? undefined : readAllMatchingRowsQueryIfChecked(form);
    if (matching) return confirmRun({ action, matching, total: matching.total });
    perform(action, rowId ? inbox.rows.filter(({ id }) => id === rowId) : listCheckedRows(inbox));
  };
}

/** A row's own button names its row after the action. */
function readRowOfButton(button: HTMLElement | null): string | undefined {
  const value = button instanceof HTMLButtonElement ? button.value : "";
  return value.includes("~") ? value.slice(value.indexOf("~") + 1) : undefined;
}

function SelectionControls({ labels, selectAll }: BulkFormLabelsAndOptions) {
  const t = useTranslator("inboxClient");
  const inbox = useInbox();
  const count = listCheckedRows(inbox).length;
  const tickPage = () =>
    inbox.setTicked(
      inbox.rows.filter(({ team }) => team).map(({ id }) => id),
      true,
    );
  return (
    <>
      <output className="px-2 font-[650]">{count > 0 ? t("selected", { count }) : labels.selected}</output>
      <button
        type="button"
        onClick={tickPage}
        className={buildButtonClass("quiet", "px-2 [@media(scripting:none)]:hidden")}
      >
        {labels.selectPage}
      </button>
      {selectAll !== null && (
        <label className="flex min-h-11 items-center gap-2 px-2">
          <input
            type="checkbox"
            name="all"
            value="1"
            className="size-5"
            checked={inbox.allMatching}
            onChange={(event) => inbox.setAllMatching(event.target.checked)}
          />
          {selectAll}
        </label>
      )}
      <ClearSelectionButton label={labels.unselect} />
    </>
  );
}

/** Without script, resets the form. */
function ClearSelectionButton({ label }: { label: string }) {
  const { clearTicked } = useInbox();
  return (
    <button
      type="reset"
      onClick={(event) => {
        event.preventDefault();
        clearTicked();
      }}
      aria-label={label}
      title={label}
      className={clsx(buildButtonClass("quiet", "w-11 px-0"), styles.button)}
    >
      <Icon as="x" />
    </button>
  );
}

function BulkActions({ people, severities, labels }: BulkFormLabelsAndOptions) {
  const tickedRows = listCheckedRows(useInbox());
  const assignable = people.filter(({ value }) => !tickedRows.some((row) => row.hiddenFrom?.includes(value)));
  return (
    <div className="flex w-full min-w-0 gap-2 max-sm:overflow-x-auto max-sm:pb-1 [&>*]:shrink-0">
      <span className={styles.pair}>
        <BulkSelect name="to" label={labels.assignTo} options={assignable} />
        <BulkActionButton value="assign" icon="user-plus" label={labels.assign} />
      </span>
      <BulkActionButton value="acknowledge" icon="check" label={labels.acknowledge} />
      <span className={styles.pair}>
        <BulkSelect name="severity" label={labels.severity} options={severities} />
        <BulkActionButton value="severity" icon="flag" label={labels.set} />
      </span>
      <button
        type="submit"
        formAction="/inbox/export"
        formMethod="post"
        name="do"
        value="export"
        className={clsx(buildButtonClass("secondary"), styles.button)}
      >
        <Icon as="download" />
        {labels.export}
      </button>
    </div>
  );
}

function BulkActionButton({ value, icon, label }: { value: string; icon: IconName; label: string }) {
  return (
    <button
      type="submit"
      name="do"
      value={value}
      className={clsx(buildButtonClass("secondary"), styles.button)}
    >
      <Icon as={icon} />
      {label}
    </button>
  );
}

type ChoiceProps = { name: string; label: string; options: readonly Option[] };

/** A select with the value for the button next to it. */
function BulkSelect({ name, label, options }: ChoiceProps) {
  return (
    <span className={styles.choice}>
      <Icon as="chevron-down" />
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
