"use client";

import type { ReactNode, Ref } from "react";
import { useTranslator } from "#i18n";
import type { FormState } from "#lib/design/form-state.ts";
import { Button, buildButtonClass } from "./button.tsx";
import { useHydrated } from "./use-hydrated.ts";

/** The versions that a form shows after a conflict: the current values next to the submitted ones. */
export type FormConflictVersionsData = SingleFieldVersions | MultiFieldVersions;

/** For a form of several fields: shows those that differ. */
type MultiFieldVersions = {
  fields: readonly FieldVersion[];
  /** Checkboxes. */
  boxes?: readonly { name: string; label: string; theirs: boolean }[];
};

type FieldVersion = {
  name: string;
  label: string;
  /** The current value, formatted as in the form. */
  theirs: string;
  /** Labels of its values, if they are chosen from a list. */
  valueLabels?: Record<string, string>;
};

type SingleFieldVersions = {
  /** The current value; updated when the page refreshes. */
  theirs: ReactNode;
  /** The requested change; the text of `field` is shown under it. */
  yours?: ReactNode;
  /** The field whose value was submitted. */
  field: string;
  /** Another field whose text is shown as well, where the choice that it depends on was made. */
  alsoField?: { name: string; ifChosen: { field: string; value: string } };
  /** Labels of its values, if they are chosen from a list. */
  valueLabels?: Record<string, string>;
  /** The value comes from the pressed button, so that it has to be sent again with the choice. */
  isPressed?: boolean;
};

type Props = {
  versions: FormConflictVersionsData;
  state: FormState;
  pending: boolean;
  /** Discards the submitted values. */
  onKeep: () => void;
  ref: Ref<HTMLDivElement>;
};

/** Shows both versions side by side, to choose from. The submitted values also stay in the form below. */
export function FormConflictComparison({ versions, state, pending, onKeep, ref }: Props) {
  const t = useTranslator("ui");
  const scripted = useHydrated();
  return (
    <div
      ref={ref}
      role="alert"
      tabIndex={-1}
      autoFocus
      className="grid gap-3 rounded-surface border-2 border-caution bg-caution-soft p-4"
    >
      <p className="font-[650]">{state.error}</p>
      {"fields" in versions ? (
        <FieldComparison versions={versions} sent={state.values ?? {}} />
      ) : (
        <VersionPair
          theirs={versions.theirs}
          yours={<SubmittedVersion versions={versions} sent={state.values ?? {}} />}
        />
      )}
      <div className="flex flex-wrap gap-3">
        {scripted ? (
          <Button onClick={onKeep}>{t("keepTheirs")}</Button>
        ) : (
          <a href="?" className={buildButtonClass()}>
            {t("keepTheirs")}
          </a>
        )}
        <Button type="submit" variant="primary" pending={pending} {...getPressedValue(versions, state)}>
          {t("useYours")}
        </Button>
      </div>
    </div>
  );
}

const getPressedValue = (versions: FormConflictVersionsData, { values }: FormState) =>
  "isPressed" in versions && versions.isPressed
    ? { name: versions.field, value: values?.[versions.field] ?? "" }
    : {};

/** Compares the submitted and current values of each field that differs. */
function FieldComparison({ versions, sent }: { versions: MultiFieldVersions; sent: Record<string, string> }) {
  const t = useTranslator("ui");
  const ticked = (is: boolean) => t(is ? "yes" : "no");
  const boxes = (versions.boxes ?? []).map(({ name, label, theirs }) => ({
    name,
    label,
    theirs: ticked(theirs),
    yours: ticked(Boolean(sent[name])),
  }));
  const fields = versions.fields.map(({ name, label, theirs, valueLabels }) => {
    const yours = sent[name] ?? "";
    return { name, label, theirs: valueLabels?.[theirs] ?? theirs, yours: valueLabels?.[yours] ?? yours };
  });
  return [...fields, ...boxes]
    .filter(({ theirs, yours }) => yours !== theirs)
    .map(({ name, label, theirs, yours }) => (
      <div key={name} className="grid gap-1.5">
        <p className="font-[550]">{label}</p>
        <VersionPair theirs={<VersionText text={theirs} />} yours={<VersionText text={yours} />} />
      </div>
    ));
}

function VersionPair({ theirs, yours }: { theirs: ReactNode; yours: ReactNode }) {
  const t = useTranslator("ui");
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <VersionBox title={t("theirs")}>{theirs}</VersionBox>
      <VersionBox title={t("yours")}>{yours}</VersionBox>
    </div>
  );
}

const VersionText = ({ text }: { text: string }) => (
  <span dir="auto" className="block whitespace-pre-wrap">
    {text}
  </span>
);

type SubmittedVersionProps = { versions: SingleFieldVersions; sent: Record<string, string> };

function SubmittedVersion({ versions, sent }: SubmittedVersionProps) {
  const { field, alsoField, yours, valueLabels } = versions;
  const value = sent[field] ?? "";
  const isOtherSent = alsoField && sent[alsoField.ifChosen.field] === alsoField.ifChosen.value;
  return (
    <>
      {yours}
      <VersionText text={valueLabels?.[value] ?? value} />
      {isOtherSent && <VersionText text={sent[alsoField.name] ?? ""} />}
    </>
  );
}

function VersionBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-1 rounded-control border border-edge bg-surface p-3">
      <p className="text-sm font-[650] text-muted">{title}</p>
      <div className="grid max-h-60 min-w-0 content-start gap-2 overflow-auto wrap-anywhere">{children}</div>
    </div>
  );
}
