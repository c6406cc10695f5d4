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
import {
  findUnchosenSeveritySelect,
  readAllMatchingRowsQueryIfChecked,
  readBulkAction,
  UNCHOSEN_SEVERITY,
} from "./forms.ts";
import { listCheckedRows, useInbox } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";
import { useTriageVocabulary } from "./vocabulary.ts";

/** The list that the bulk actions apply to. */
export type BulkFormData = {
  /** Hidden parameters. */
  preservedParams: readonly (readonly [name: string, value: string])[];
  /** Possible assignees, with their labels. */
  people: readonly Option[];
  /** Numbers of matching incidents and of those on the page. */
  total: number;
  shown: number;
};

type Option = { value: string; label: string };

type Props = {
  data: BulkFormData;
  perform: (action: BulkAction, rows: readonly InboxRowData[]) => void;
  /** Asks before an action on all matching rows. */
  confirmRun: (request: MatchingRowsActionRequest) => void;
};

/**
 * The form with the bulk actions on checked rows; the buttons of the rows belong to it, too. CSS shows the form once a
 * row is checked, also without script. It is fixed to the bottom of the screen, so that no row moves when it appears.
 */
export function BulkForm({ data, perform, confirmRun }: Props) {
  const t = useTranslator("inboxClient");
  const { preservedParams } = data;
  const submit = useBulkSubmit({ perform, confirmRun });
  return (
    <form
      id="bulk-form"
      action={applyBulkActionAndRedirect}
      onSubmit={submit}
      aria-label={t("selection")}
      className="hidden flex-wrap items-center gap-2 rounded-surface border border-accent bg-accent-soft p-2 shadow-lg group-has-[li_:checked]/inbox:flex"
    >
      <input type="hidden" name="rows" value={serializeIncidentRowSnapshots(useInbox().rows)} />
      {preservedParams.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <SelectionControls {...data} />
      <BulkActions people={data.people} />
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
    const row = inbox.rows[readPlaceOfButton(submitter)];
    const matching = row ? undefined : readAllMatchingRowsQueryIfChecked(form);
    if (matching) return confirmRun({ action, matching, total: matching.total });
    perform(action, row ? [row] : listCheckedRows(inbox));
  };
}

/** A row's own button names the place of its row after the action. */
function readPlaceOfButton(button: HTMLElement | null): number {
  const [, place] = button instanceof HTMLButtonElement ? button.value.split("~") : [];
  return place === undefined ? -1 : Number(place);
}

function SelectionControls({ total, shown }: BulkFormData) {
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
      <output className="px-2 font-[650]">{count > 0 ? t("selected", { count }) : t("selection")}</output>
      <button
        type="button"
        onClick={tickPage}
        className={buildButtonClass("quiet", "px-2 [@media(scripting:none)]:hidden")}
      >
        {t("selectPage", { count: shown })}
      </button>
      {total > shown && (
        <label className="flex min-h-11 items-center gap-2 px-2">
          <input
            type="checkbox"
            name="all"
            value="1"
            className="size-5"
            checked={inbox.allMatching}
            onChange={(event) => inbox.setAllMatching(event.target.checked)}
          />
          {t("selectAll", { count: total })}
        </label>
      )}
      <ClearSelectionButton label={t("unselect")} />
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

function BulkActions({ people }: Pick<BulkFormData, "people">) {
  const t = useTranslator("inboxClient");
  const severity = useTranslator("incident")("field.severity");
  const { severities } = useTriageVocabulary();
  const tickedRows = listCheckedRows(useInbox());
  const assignable = people.filter(({ value }) => !tickedRows.some((row) => row.hiddenFrom?.includes(value)));
  return (
    <div className="flex w-full min-w-0 gap-2 max-sm:overflow-x-auto max-sm:pb-1 [&>*]:shrink-0">
      <span className={styles.pair}>
        <BulkSelect name="to" label={t("assignTo")} options={assignable} />
        <BulkActionButton value="assign" icon="user-plus" label={t("assign")} />
      </span>
      <BulkActionButton value="acknowledge" icon="check" label={t("acknowledge")} />
      <span className={styles.pair}>
        <BulkSelect
          name="severity"
          label={severity}
          options={[{ value: UNCHOSEN_SEVERITY, label: `${severity}…` }, ...severities]}
        />
        <BulkActionButton value="severity" icon="flag" label={t("set")} />
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
        {t("export")}
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
      <select name={name} aria-label={label} className="control">
        {options.map(({ value, label: optionLabel }) => (
          <option key={value} value={value}>
            {optionLabel}
          </option>
        ))}
      </select>
    </span>
  );
}
