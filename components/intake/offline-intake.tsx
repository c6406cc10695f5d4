"use client";

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useLocale, useTranslator } from "#i18n";
import { useOffline } from "#components/shell/offline-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { collectRestorableFormValues } from "#lib/design/form-state.ts";
import { formatNeutralTitle } from "#lib/incidents/neutral-title.ts";
import { formatUsableTitle } from "#lib/incidents/usable-title.ts";
import { MAX_SEALED_DRAFT_LENGTH } from "#lib/intake/sealed-draft-length.ts";
import { OfflineReadBackDialog, type IntakeTextLengthLimits } from "./offline-read-back.tsx";
import {
  storeSealedDraft,
  canSealDrafts,
  fetchOfflineIntakeKit,
  type OfflineIntakeKeyAndReceipts,
  sealIntakeDraft,
} from "./sealed-drafts.ts";
import { toIntakeInput } from "./intake-form-values.ts";
import { notifySealedDraftListeners, SealedDraftSenderAndCount } from "./waiting-drafts.tsx";

type Props = {
  slug: string;
  /** Name under which this device stores the sealed drafts of the person who is signed in. */
  owner: string;
  zone: string;
  limits: IntakeTextLengthLimits;
  /** URL of the page where the words of a receipt are entered. */
  mailboxAddress: string;
  /** The form, which is emptied once its report is sealed. */
  children: ReactNode;
};

/** Id of the form that takes a report, which the page renders on the server. */
const FORM_ID = "intake";

/**
 * Lets a report be finished without a connection: the person reads and confirms it on this device, gets a receipt that
 * the page has loaded before, and the report is sealed until it can be sent.
 */
export function OfflineIntakeWrapper({ children, ...props }: Props) {
  const t = useTranslator("intakeOffline");
  const offline = useOffline();
  const { edition, values, hasKit, problem, start, finish, seal, receipt } = useOfflineIntake(props);
  const begin = (event: FormEvent<HTMLDivElement>) => {
    const form = event.target;
    if (!offline || !hasKit || !(form instanceof HTMLFormElement) || form.id !== FORM_ID) return;
    event.preventDefault();
    event.stopPropagation();
    start(form);
  };
  return (
    <div className="grid min-w-0 gap-6" onSubmitCapture={begin}>
      <SealedDraftSenderAndCount owner={props.owner} />
      {offline && hasKit && (
        <Notice kind="warning" live>
          <p>{t("offline")}</p>
        </Notice>
      )}
      <div key={edition}>{children}</div>
      {problem && <ProblemText problem={problem} />}
      {hasKit && <ContinueButton onPress={start} />}
      {values && (
        <OfflineReadBackDialog
          values={values}
          limits={props.limits}
          receipt={receipt}
          address={props.mailboxAddress}
          onSeal={seal}
          onClose={finish}
        />
      )}
    </div>
  );
}

function ContinueButton({ onPress }: { onPress: (form: HTMLFormElement | null) => void }) {
  const t = useTranslator("intakeOffline");
  return (
    <p>
      <Button
        variant="quiet"
        className="-ms-3 text-start"
        onClick={() => onPress(document.querySelector<HTMLFormElement>(`#${FORM_ID}`))}
      >
        {t("continue")}
      </Button>
    </p>
  );
}

function ProblemText({ problem }: { problem: Problem }) {
  const t = useTranslator("intakeOffline");
  return (
    <p role="alert" className="font-[550] text-danger">
      {t(problem)}
    </p>
  );
}

type Problem = "descriptionFirst" | "hidingNeedsConnection" | "cantSave";

function useOfflineIntake({ slug, owner, zone }: Omit<Props, "children">) {
  const { formatTitle, repairTitle } = useTitleFormatters(zone);
  const kit = useOfflineKit(slug);
  const [edition, setEdition] = useState(0);
  const [values, setValues] = useState<Record<string, string> | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  function start(form: HTMLFormElement | null): void {
    const given = collectRestorableFormValues(new FormData(form ?? undefined));
    if (!given.description?.trim()) return setProblem("descriptionFirst");
    // Only the service knows from whom a report can be hidden. A sealed report that it refuses can't be corrected.
    if (given.excludedUserIds) return setProblem("hidingNeedsConnection");
    setProblem(null);
    setValues({ ...given, title: given.title?.trim() ? given.title : formatTitle(new Date()) });
  }

  /** @returns false if this device can't keep the report */
  async function seal(read: Record<string, string>, confirmed: boolean): Promise<boolean> {
    const current = kit.value;
    const next = current?.drafts[0];
    if (!current || !next) return false;
    const now = new Date();
    const options = { zone, now, neutralTitle: formatTitle(now) };
    const input = toIntakeInput({ ...values, ...read }, options);
    // Nobody can correct the report once it is sealed.
    const report = { ...input, title: repairTitle(String(input.title), now) };
    const content = { draft: next.draft, takenAt: now.toISOString(), confirmed, report };
    const sealed = await sealIntakeDraft(current.key, content).catch(() => null);
    if (sealed === null || sealed.length > MAX_SEALED_DRAFT_LENGTH) return false;
    if (!storeSealedDraft(owner, { slug, sealed })) return false;
    kit.drop(next.draft);
    setEdition((last) => last + 1);
    notifySealedDraftListeners();
    return true;
  }

  const receipt = kit.value?.drafts[0]?.receipt ?? null;
  const finish = () => setValues(null);
  return { edition, values, hasKit: kit.value !== null, problem, start, finish, seal, receipt };
}

/** Returns functions that format the title of a report taken at a time: without one, and from what was written. */
function useTitleFormatters(timeZone: string) {
  const options = { t: useTranslator("intakeOffline"), locale: useLocale(), timeZone };
  return {
    formatTitle: (at: Date): string => formatNeutralTitle(at, { kind: undefined, ...options }),
    repairTitle: (title: string, at: Date): string => formatUsableTitle(title, at, options),
  };
}

/** Loads the key and receipts while there is a connection, and again when few receipts remain; kept in memory only. */
function useOfflineKit(slug: string) {
  const [value, setValue] = useState<OfflineIntakeKeyAndReceipts | null>(null);
  const isLoading = useRef(false);
  const left = value?.drafts.length ?? 0;
  useEffect(() => {
    const load = async () => {
      if (isLoading.current || !canSealDrafts() || !navigator.onLine) return;
      isLoading.current = true;
      const loaded = await fetchOfflineIntakeKit(slug);
      isLoading.current = false;
      if (loaded) setValue(loaded);
    };
    if (left < MIN_DRAFTS_LEFT) void load();
    window.addEventListener("online", load);
    return () => window.removeEventListener("online", load);
  }, [slug, left]);
  const drop = (draft: string) =>
    setValue((kit) => kit && { ...kit, drafts: kit.drafts.filter((one) => one.draft !== draft) });
  return { value, drop };
}

const MIN_DRAFTS_LEFT = 4;
