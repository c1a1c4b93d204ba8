# dunlin_idl_generate(TARGET <target> FILES <file>... [LANGUAGE c|cpp98] [INCLUDES <directory>...]
#                     [DEFINES <name>[=<value>]...] [OPTIONS <option>...])
#
# Adds to a target what `dunlin idl gen` makes of IDL files; it is made anew when one of them, or a file that they include,
# has changed, or one of the arguments. The language is c unless another is named. OPTIONS are further ones of
# `dunlin idl gen`, such as --range-checks.
function(dunlin_idl_generate)
    cmake_parse_arguments(PARSE_ARGV 0 idl "" "TARGET;LANGUAGE" "FILES;INCLUDES;DEFINES;OPTIONS")
    if(idl_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "dunlin_idl_generate: unknown arguments: ${idl_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT TARGET "${idl_TARGET}")
        message(FATAL_ERROR "dunlin_idl_generate: TARGET \"${idl_TARGET}\" is no target: make it first, by add_executable or add_library")
    endif()
    if(NOT idl_FILES)
        message(FATAL_ERROR "dunlin_idl_generate: FILES has no IDL file for ${idl_TARGET}")
    endif()
    if(NOT idl_LANGUAGE)
        set(idl_LANGUAGE c)
    endif()
    if(idl_LANGUAGE STREQUAL "c")
        set(endings .h .c)
    elseif(idl_LANGUAGE STREQUAL "cpp98")
        set(endings Support.hpp)
    else()
        message(FATAL_ERROR "dunlin_idl_generate: LANGUAGE is \"${idl_LANGUAGE}\": c and cpp98 are known")
    endif()

    set(into "${CMAKE_CURRENT_BINARY_DIR}/${idl_TARGET}.idl")
    file(MAKE_DIRECTORY "${into}")
    set(options ${idl_OPTIONS})
    foreach(directory IN LISTS idl_INCLUDES)
        get_filename_component(directory "${directory}" ABSOLUTE)
        list(APPEND options -I "${directory}")
    endforeach()
    foreach(define IN LISTS idl_DEFINES)
        list(APPEND options -D "${define}")
    endforeach()
    foreach(file IN LISTS idl_FILES)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(stem "${file}" NAME_WLE)
        set(made)
        foreach(ending IN LISTS endings)
            list(APPEND made "${into}/${stem}${ending}")
        endforeach()
        # A file that would be the same is not written, so its time would stay behind that of the IDL file.
        add_custom_command(
            OUTPUT ${made}
            COMMAND "${DUNLIN_IDL_COMPILER}" idl gen -l "${idl_LANGUAGE}" -o "${into}" --depfile "${into}/${stem}.d" ${options} "${path}"
            COMMAND "${CMAKE_COMMAND}" -E touch_nocreate ${made}
            DEPENDS "${path}" "${DUNLIN_IDL_COMPILER}"
            DEPFILE "${into}/${stem}.d"
            COMMENT "IDL ${file} becomes ${idl_LANGUAGE}"
            VERBATIM)
        target_sources("${idl_TARGET}" PRIVATE ${made})
    endforeach()
    target_include_directories("${idl_TARGET}" PUBLIC "$<BUILD_INTERFACE:${into}>")
endfunction()
