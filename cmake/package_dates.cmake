# cpack runs this script before it packs. Gives all files and folders of the packages the time that SOURCE_DATE_EPOCH
# names in seconds, so that packages of equal content have equal bytes. The variable is explained at
# https://reproducible-builds.org/specs/source-date-epoch.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
