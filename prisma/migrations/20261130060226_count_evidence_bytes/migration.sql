-- The quota counts the files themselves.
DROP TRIGGER evidence_usage_on_insert ON related_files;
DROP TRIGGER evidence_usage_on_delete ON related_files;
DROP FUNCTION evidence_usage_add();
DROP FUNCTION evidence_usage_remove();

-- DropTable
DROP TABLE "evidence_usage";
