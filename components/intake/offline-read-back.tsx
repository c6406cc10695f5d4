"use client";

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useTranslator } from "#i18n";
import {
  CONFIRMATION_WORD_POSITIONS,
  ReceiptConfirmationFields,
  ReceiptWordList,
} from "#components/mailbox/receipt-list.tsx";
import { Button } from "#components/ui/button.tsx";
import { TextArea, TextField } from "#components/ui/field.tsx";
import { useLockedDialog } from "#components/ui/locked-dialog.ts";
import { collectRestorableFormValues } from "#lib/design/form-state.ts";

/**
 * Minimum and maximum lengths of the person's texts. They are checked on the device, since nobody could shorten a
 * sealed report that the service refuses.
 */
export type IntakeTextLengthLimits = {
  title: { min: number; max: number };
  description: number;
  location: number;
  parties: number;
  reportedPersonName: number;
};

type Props = {
  /** The form's values as the taker wrote them; only the person's own words are shown. */
  values: Record<string, string>;
  limits: IntakeTextLengthLimits;
  /** The words for this report; null when there are none left. */
  receipt: string | null;
  address: string;
  /** Seals the report with what was corrected; false if this device can't keep it. */
  onSeal: (read: Record<string, string>, confirmed: boolean) => Promise<boolean>;
  onClose: () => void;
};

type Stage = { step: "read" | "thanks" } | { step: "receipt"; parts: readonly string[] };

/** A full-screen dialog in which the person reads and confirms their report offline, and gets the receipt. */
export function OfflineReadBackDialog(props: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [stage, setStage] = useState<Stage>({ step: "read" });
  // Behind it is a page of the team, and the words are shown nowhere else.
  useLockedDialog(dialog, true);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className="m-0 h-dvh max-h-none w-dvw max-w-none overflow-y-auto bg-paper px-4 py-8 text-ink sm:px-6"
    >
      <div className="mx-auto grid max-w-3xl gap-8">
        {stage.step === "read" && <ReadStage {...props} heading={heading} onStage={setStage} />}
        {stage.step === "receipt" && (
          <ReceiptStage
            heading={heading}
            parts={stage.parts}
            address={props.address}
            onDone={() => setStage({ step: "thanks" })}
          />
        )}
        {stage.step === "thanks" && <ThanksStage heading={heading} onClose={props.onClose} />}
      </div>
    </dialog>
  );
}

/** A heading that takes the focus, so that each stage is read out from its beginning. */
function StageHeading({ id, children }: { id: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 id={id} ref={heading} tabIndex={-1} className="text-2xl outline-none sm:text-3xl">
      {children}
    </h1>
  );
}

type ReadStageProps = Props & { heading: string; onStage: (stage: Stage) => void };

function ReadStage({ values, limits, receipt, heading, onSeal, onClose, onStage }: ReadStageProps) {
  const t = useTranslator("intakeOffline");
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState<"descriptionFirst" | "cantSave" | null>(null);
  async function seal(confirmed: boolean): Promise<void> {
    if (!form.current?.reportValidity()) return;
    const read = collectRestorableFormValues(new FormData(form.current));
    if (!read.description?.trim()) return setProblem("descriptionFirst");
    const isSealed = await onSeal(read, confirmed);
    setProblem(isSealed ? null : "cantSave");
    if (!isSealed) return;
    if (confirmed && receipt) onStage({ step: "receipt", parts: receipt.split(" ") });
    else onClose();
  }
  return (
    <form
      ref={form}
      className="grid gap-6"
      autoComplete="off"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void seal(true);
      }}
    >
      <header className="grid max-w-[60ch] gap-3">
        <StageHeading id={heading}>{t("readTitle")}</StageHeading>
        <p className="text-lg">{t("readLead")}</p>
      </header>
      <ReadFields values={values} limits={limits} />
      {(problem || !receipt) && (
        <p role="alert" className="font-[550] text-danger">
          {t(problem ?? "noReceipts")}
        </p>
      )}
      <ReadActions canConfirm={receipt !== null} onAway={() => void seal(false)} onBack={onClose} />
    </form>
  );
}

type ActionsProps = { canConfirm: boolean; onAway: () => void; onBack: () => void };

function ReadActions({ canConfirm, onAway, onBack }: ActionsProps) {
  const t = useTranslator("intakeOffline");
  return (
    <div className="flex flex-wrap gap-3">
      {canConfirm && (
        <Button type="submit" variant="primary">
          {t("confirm")}
        </Button>
      )}
      <Button onClick={onAway}>{t("away")}</Button>
      <Button variant="quiet" onClick={onBack}>
        {t("back")}
      </Button>
    </div>
  );
}

function ReadFields({ values, limits }: Pick<Props, "values" | "limits">) {
  const t = useTranslator("intakeOffline");
  return (
    <>
      <TextArea
        name="description"
        label={t("description")}
        defaultValue={values.description}
        rows={10}
        maxLength={limits.description}
        required
      />
      <TextField
        name="title"
        label={t("subject")}
        defaultValue={values.title}
        minLength={limits.title.min}
        maxLength={limits.title.max}
        required
      />
      <TextField
        name="location"
        label={t("where")}
        defaultValue={values.location}
        maxLength={limits.location}
      />
      <TextArea
        name="parties"
        label={t("who")}
        defaultValue={values.parties}
        rows={3}
        maxLength={limits.parties}
      />
      {values.reportedPersonName !== undefined && <ReportedPersonField values={values} limits={limits} />}
    </>
  );
}

/** The reported person's name, which the organization's conflict check needs. */
function ReportedPersonField({ values, limits }: Pick<Props, "values" | "limits">) {
  const t = useTranslator("intakeOffline");
  return (
    <TextField
      name="reportedPersonName"
      label={t("reportedPerson")}
      hint={t("reportedPersonHint")}
      defaultValue={values.reportedPersonName}
      maxLength={limits.reportedPersonName}
    />
  );
}

type ReceiptStageProps = { heading: string; parts: readonly string[]; address: string; onDone: () => void };

function ReceiptStage({ heading, parts, address, onDone }: ReceiptStageProps) {
  const t = useTranslator("intakeOffline");
  const [isWrong, setIsWrong] = useState(false);
  function check(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const given = collectRestorableFormValues(new FormData(event.currentTarget));
    const isRight = CONFIRMATION_WORD_POSITIONS.every(
      (place) => given[`word${place}`]?.trim().toLowerCase() === parts[place - 1],
    );
    setIsWrong(!isRight);
    if (isRight) onDone();
  }
  return (
    <>
      <header className="grid max-w-[60ch] gap-3">
        <StageHeading id={heading}>{t("receiptTitle")}</StageHeading>
        <p className="text-lg">{t("receiptLead")}</p>
        <p className="wrap-anywhere">{t("receiptPlace", { address })}</p>
      </header>
      <ReceiptWordList parts={parts} label={t("receipt")} />
      <form className="grid max-w-[60ch] gap-6" autoComplete="off" noValidate onSubmit={check}>
        <p>{t("typeTwo")}</p>
        <ReceiptConfirmationFields label={(place) => t("wordOf", { place })} />
        {isWrong && (
          <p role="alert" className="font-[550] text-danger">
            {t("wrongEntry")}
          </p>
        )}
        <Button type="submit" variant="primary" className="justify-self-start">
          {t("haveReceipt")}
        </Button>
      </form>
    </>
  );
}

function ThanksStage({ heading, onClose }: { heading: string; onClose: () => void }) {
  const t = useTranslator("intakeOffline");
  return (
    <div className="grid max-w-[60ch] gap-4">
      <StageHeading id={heading}>{t("thanksTitle")}</StageHeading>
      <p className="text-lg">{t("thanks")}</p>
      <p>
        <Button onClick={onClose}>{t("close")}</Button>
      </p>
    </div>
  );
}
