/** Text as a person wrote it, with its line breaks. */
export function UserText({ as: Tag = "p", children }: { as?: "p" | "span"; children: string | null }) {
  return (
    <Tag dir="auto" className="whitespace-pre-wrap wrap-anywhere">
      {children}
    </Tag>
  );
}
