import { Badge } from "#components/ui/badge.tsx";
import { useTranslator } from "#i18n";
import { type AwaitedReplyParty, type ResponseDeadlineJson, useDueLabelFormatter } from "./due-text.ts";

type Props = { due: ResponseDeadlineJson | null; awaiting: AwaitedReplyParty | null; now: Date };

/** Badges that say what is due, and whose reply is awaited; renders nothing if neither applies. */
export function DueAndAwaitingChips({ due, awaiting, now }: Props) {
  return (
    <>
      {awaiting && !(due && awaiting === "team") && <AwaitingChip awaiting={awaiting} />}
      {due && <DueChip due={due} awaiting={awaiting} now={now} />}
    </>
  );
}

function DueChip({ due, awaiting, now }: Props & { due: ResponseDeadlineJson }) {
  const { over: isOverdue, full, title } = useDueLabelFormatter(now)(due, awaiting);
  return (
    <span title={title}>
      <Badge
        tone={isOverdue ? "danger" : "neutral"}
        icon={isOverdue ? "triangle-exclamation-point" : "clock"}
      >
        {full}
      </Badge>
    </span>
  );
}

function AwaitingChip({ awaiting }: { awaiting: AwaitedReplyParty }) {
  const t = useTranslator("due");
  return (
    <span title={t(`about.${awaiting}`)}>
      <Badge
        tone={awaiting === "team" ? "accent" : "neutral"}
        icon={awaiting === "team" ? "message-square-reply" : "hourglass"}
      >
        {t(`awaiting.${awaiting}`)}
      </Badge>
    </span>
  );
}
