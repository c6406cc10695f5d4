import { TextLink } from "#components/ui/link.tsx";

type Props = { question?: string; href: string; label: string };

/** A question and a link that answers it: "No account yet? Create one". */
export function QuestionWithLink({ question, href, label }: Props) {
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      {question && <span className="text-muted">{question}</span>}
      <TextLink href={href} className="inline-flex min-h-11 items-center">
        {label}
      </TextLink>
    </p>
  );
}
