"use client";

import type { ReactNode, Ref } from "react";
import { useTranslator } from "#words";
import type { FormState } from "#lib/design/form-state.ts";
import { Button, buttonClass } from "./button.tsx";
import { useHydrated } from "./scripted.ts";

/** What a form shows when somebody else was faster: what is there now, beside what was sent. */
export type FormVersions = SingleFieldVersions | MultiFieldVersions;

/** For a form of several fields: those that differ are shown. */
type MultiFieldVersions = {
  fields: readonly FieldVersion[];
  /** Boxes that are ticked or aren't. */
  boxes?: readonly { name: string; label: string; theirs: boolean }[];
};

type FieldVersion = {
  name: string;
  label: string;
  /** As the page knows it now, in the form's own spelling. */
  theirs: string;
  /** Words for its values, where they are chosen from a list. */
  words?: Record<string, string>;
};

type SingleFieldVersions = {
  /** As the page knows it now; read anew with it. */
  theirs: ReactNode;
  /** What was to be done; the words of `field` stand beneath. */
  yours?: ReactNode;
  /** The field whose value was sent. */
  field: string;
  /** Words for its values, where they are chosen from a list. */
  words?: Record<string, string>;
};

type Props = {
  versions: FormVersions;
  state: FormState;
  pending: boolean;
  /** Lets go of what was sent. */
  onKeep: () => void;
  ref: Ref<HTMLDivElement>;
};

/** Both versions side by side, to choose from. What was sent also still stands in the form beneath. */
export function VersionComparison({ versions, state, pending, onKeep, ref }: Props) {
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
          yours={<SubmittedVersion versions={versions} sent={state.values?.[versions.field] ?? ""} />}
        />
      )}
      <div className="flex flex-wrap gap-3">
        {scripted ? (
          <Button onClick={onKeep}>{t("keepTheirs")}</Button>
        ) : (
          <a href="?" className={buttonClass()}>
            {t("keepTheirs")}
          </a>
        )}
        <Button type="submit" variant="primary" pending={pending}>
          {t("useYours")}
        </Button>
      </div>
    </div>
  );
}

/** Field by field, where what was sent differs from what is there. */
function FieldComparison({ versions, sent }: { versions: MultiFieldVersions; sent: Record<string, string> }) {
  const t = useTranslator("ui");
  const ticked = (is: boolean) => t(is ? "yes" : "no");
  const boxes = (versions.boxes ?? []).map(({ name, label, theirs }) => ({
    name,
    label,
    theirs: ticked(theirs),
    yours: ticked(Boolean(sent[name])),
  }));
  const fields = versions.fields.map(({ name, label, theirs, words }) => {
    const yours = sent[name] ?? "";
    return { name, label, theirs: words?.[theirs] ?? theirs, yours: words?.[yours] ?? yours };
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

function SubmittedVersion({ versions, sent }: { versions: SingleFieldVersions; sent: string }) {
  return (
    <>
      {versions.yours}
      <VersionText text={versions.words?.[sent] ?? sent} />
    </>
  );
}

function VersionBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-1 rounded-control border border-edge bg-surface p-3">
      <p className="text-sm font-[650] text-muted">{title}</p>
      <div className="max-h-60 min-w-0 overflow-auto wrap-anywhere">{children}</div>
    </div>
  );
}
