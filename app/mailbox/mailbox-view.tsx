import { useTranslator } from "#i18n";
import { closeMailboxAction, withdrawMailboxReportAction } from "./actions.ts";
import { FilesSection, LockControl, MessagesSection, SEND_FORM_ID, type SendingProps } from "./sections.tsx";
import { renderIncidentTime } from "#components/incident/incident-time.tsx";
import { ReporterRetentionNotice } from "#components/incident/retention-text.tsx";
import { ScriptOrFallback } from "#components/mailbox/script-switch.tsx";
import { MailboxSection } from "#components/mailbox/mailbox-section.tsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { circleCheckIcon } from "#lib/design/icons.ts";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import { isReopenableState } from "#lib/incidents/lifecycle.ts";
import type { Mailbox } from "#lib/conversations/schema.ts";

export type SerializedMailbox = import("zod").output<typeof Mailbox>;
type ReporterMailbox = SerializedMailbox & { party: "reporter" };
type Props = { mailbox: ReporterMailbox };
type TimedProps = Props & { now: Date };

type TagProps = Pick<SendingProps, "opened">;

/** The report as its sender sees it: status, messages and files, and the forms that lock, withdraw or close it. */
export function MailboxView({ mailbox, now, ...sending }: TimedProps & SendingProps) {
  const t = useTranslator("mailbox");
  return (
    <>
      <header className="grid max-w-[60ch] gap-2">
        <p className="text-muted">
          <bdi>{mailbox.event.name}</bdi>
        </p>
        <h1 className="text-2xl sm:text-3xl">{t("title")}</h1>
      </header>
      <StatusSection mailbox={mailbox} now={now} />
      <MessagesSection mailbox={mailbox} {...sending} />
      <FilesSection mailbox={mailbox} {...sending} />
      <ReportSection mailbox={mailbox} />
      <LeavingSection mailbox={mailbox} {...sending} />
    </>
  );
}

function StatusSection({ mailbox, now }: TimedProps) {
  const t = useTranslator("mailbox");
  const formatDay = useDayFormatter();
  const { state, outcome, readBy, lastReadOn, openedInEmergencyOn, withdrawnOn, retention } = mailbox;
  const status = describeStatus(mailbox);
  return (
    <section className="grid max-w-[68ch] gap-3" aria-label={t("status")}>
      {withdrawnOn ? (
        <>
          <p className="text-lg font-[550]">{t("withdrawnTitle", { day: formatDay(withdrawnOn) })}</p>
          <p>{t("withdrawnText")}</p>
          <p className="text-muted">{status}</p>
        </>
      ) : (
        <p className="text-lg font-[550]">{status}</p>
      )}
      <p className="text-muted">
        {lastReadOn ? t("readBy", { count: readBy, day: formatDay(lastReadOn) }) : t("readByNobody")}
      </p>
      {openedInEmergencyOn && <p>{t("openedInEmergency", { day: formatDay(openedInEmergencyOn) })}</p>}
      <ReporterRetentionNotice retention={retention} now={now} />
      <HiddenFrom {...mailbox} />
      {outcome && <OutcomeBox outcome={outcome} isCurrent={isReopenableState(state)} />}
    </section>
  );
}

/** The outcome that the team told; marked as the earlier one while the report is open. */
function OutcomeBox({ outcome, isCurrent }: { outcome: string; isCurrent: boolean }) {
  const t = useTranslator("mailbox");
  return (
    <div className={`grid gap-2 rounded-surface p-4 ${isCurrent ? "bg-positive-soft" : "bg-sunken"}`}>
      <h2 className="flex items-center gap-2 text-lg">
        {isCurrent && <IconWithoutScript of={circleCheckIcon} className="text-positive" />}
        {t(isCurrent ? "outcome" : "outcomeEarlier")}
      </h2>
      <UserText>{outcome}</UserText>
    </div>
  );
}

/** Describes the status; of a submitted report also that the team has written, if the shown page has a message of it. */
function describeStatus({ state, messages }: ReporterMailbox): string {
  const t = useTranslator("mailbox");
  const tIncident = useTranslator("incident");
  return state === "submitted" && messages.some(({ from }) => from === "team")
    ? tIncident("now.submittedAndWritten")
    : t(`state.${state}`);
}

/** Names the people who can't read the report, and the person who reads it if nobody on the team can. */
function HiddenFrom({
  hiddenFrom,
  hiddenByName,
  outsidePerson,
  hasReader,
}: Pick<ReporterMailbox, "hiddenFrom" | "hiddenByName" | "outsidePerson" | "hasReader">) {
  const t = useTranslator("mailbox");
  if (hiddenFrom.length === 0 && !hiddenByName) return null;
  const incident = useTranslator("incident");
  const showsNames = hiddenFrom.some(({ name }) => name !== null);
  return (
    <div className="grid gap-1">
      <h2 className="font-[550]">{t("hiddenFrom")}</h2>
      {hiddenByName ? (
        <p>{t("hiddenByName")}</p>
      ) : showsNames ? (
        <ul className="list-disc ps-5">
          {hiddenFrom.map(({ name }, at) => (
            <li key={at} className="wrap-anywhere">
              <bdi>{name ?? incident("gone")}</bdi>
            </li>
          ))}
        </ul>
      ) : (
        <p>{t("hiddenFromSomebody", { count: hiddenFrom.length })}</p>
      )}
      {outsidePerson && <p>{t("outsidePerson", { name: isolateBidi(outsidePerson.name) })}</p>}
      {!hasReader && (
        <Notice kind="warning" title={t("noReader")}>
          <p>{t("noReaderAbout")}</p>
        </Notice>
      )}
    </div>
  );
}

function ReportSection({ mailbox: { report } }: Props) {
  const t = useTranslator("mailbox");
  const form = useTranslator("reportForm");
  const incident = useTranslator("incident");
  const kind = parseIncidentKind(report.type);
  const when = renderIncidentTime(report);
  const facts = [
    [form("field.title"), report.title],
    [form("field.description"), report.description],
    [form("field.type"), kind ? incident(`kind.${kind}`) : report.type],
    [form("field.severity"), report.severity && form(`severity.${report.severity}`)],
    [form("field.location"), report.location],
    [form("field.parties"), report.parties],
  ] as const;
  return (
    <MailboxSection id="report" title={t("yourReport")}>
      <DefinitionList
        items={[
          ...facts.flatMap(([term, value]) =>
            value ? [{ term, value: <UserText as="span">{value}</UserText> }] : [],
          ),
          ...(when ? [{ term: form("field.incidentDay"), value: when }] : []),
        ]}
      />
    </MailboxSection>
  );
}

function LeavingSection({ mailbox, opened, files }: Props & SendingProps) {
  const t = useTranslator("mailbox");
  return (
    <MailboxSection id="leave" title={t("leaveTitle")}>
      <p className="max-w-[60ch] text-muted">{t("leaveText")}</p>
      <p className="max-w-[60ch] text-muted">{t("keepWords")}</p>
      <div className="flex flex-wrap items-start gap-3">
        <LockControl files={files} />
        {mailbox.withdrawnOn === null && <WithdrawalForm opened={opened} />}
        <ClosingForm opened={opened} />
      </div>
      <p>
        <a href={`/e/${mailbox.event.slug}`} className={buildButtonClass("quiet", "-ms-3")}>
          {t("backToEvent")}
        </a>
      </p>
    </MailboxSection>
  );
}

function ClosingForm({ opened }: TagProps) {
  const t = useTranslator("mailbox");
  const dialog = { trigger: t("close"), title: t("closeTitle") };
  return (
    <Form action={closeMailboxAction} hidden={{ opened }} dialog={dialog}>
      <p>{t("closeText")}</p>
      <FormActions>
        <SubmitButton variant="danger">{t("closeConfirm")}</SubmitButton>
        <DismissDialogButton>{t("closeKeep")}</DismissDialogButton>
      </FormActions>
    </Form>
  );
}

function WithdrawalForm({ opened }: TagProps) {
  const t = useTranslator("mailbox");
  const dialog = { trigger: t("withdraw"), title: t("withdrawTitle") };
  return (
    <ScriptOrFallback
      withScript={
        <Form action={withdrawMailboxReportAction} hidden={{ opened }} dialog={dialog}>
          <p>{t("withdrawText")}</p>
          <FormActions>
            <SubmitButton variant="danger">{t("withdrawConfirm")}</SubmitButton>
            <DismissDialogButton>{t("withdrawKeep")}</DismissDialogButton>
          </FormActions>
        </Form>
      }
      withoutScript={
        <Dialog {...dialog}>
          <p>{t("withdrawText")}</p>
          <FormActions>
            <button
              type="submit"
              form={SEND_FORM_ID}
              name="sends"
              value="withdrawal"
              className={buildButtonClass("danger")}
            >
              {t("withdrawConfirm")}
            </button>
          </FormActions>
        </Dialog>
      }
    />
  );
}
